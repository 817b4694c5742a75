//! Zed's built-in tools by name: which argument is a command, a folder, a path.

use super::fields::Fields;
use crate::agents::zed::thread::item::{Call, ToolResult};
use crate::json::Value;
use crate::text::Text;
use std::borrow::Cow;

/// The tool of a call, else of its result, in the spelling that this module compares. `None` where neither names it.
pub fn name<'d>(call: Option<&Call<'d>>, result: Option<&ToolResult<'d>>) -> Option<Cow<'d, str>> {
    stored_name(call, result)?.as_str().map(snake_case)
}

/// The tool's name as the model saw it.
pub fn stored_name<'d>(call: Option<&Call<'d>>, result: Option<&ToolResult<'d>>) -> Option<Value<'d>> {
    call.and_then(|call| call.name).or_else(|| result.and_then(|result| result.tool_name))
}

/// The name as it has been spelled since April 2025; before, tools had hyphens.
pub fn snake_case(name: Cow<'_, str>) -> Cow<'_, str> {
    if name.contains('-') { Cow::Owned(name.replace('-', "_")) } else { name }
}

/// Does the tool run a shell command?
pub fn is_terminal(tool: &str) -> bool {
    matches!(tool, "terminal" | "bash")
}

/// Does the tool start a subagent?
pub fn is_subagent(tool: &str) -> bool {
    matches!(tool, "subagent" | "spawn_agent")
}

/// The shell command that the call runs.
pub fn command(tool: &str, fields: &Fields<'_>) -> Option<Text> {
    if is_terminal(tool) { fields.text("command") } else { None }
}

/// The folder that the call names to run in.
pub fn working_directory(tool: &str, fields: &Fields<'_>) -> Option<Text> {
    if is_terminal(tool) { fields.text("cd") } else { None }
}

/// The file or folder that the call is about: the source of a copy or move, the only entry of a list. Patterns of
/// searches and URLs are none. Only for tools of Zed's own, since an MCP tool's `path` may be anything.
pub fn path(tool: &str, fields: &Fields<'_>) -> Option<Text> {
    match tool {
        "read_file" | "list_directory" | "diagnostics" | "edit_file" | "streaming_edit_file" | "write_file"
        | "create_file" | "find_replace_file" | "delete_path" | "create_directory" | "code_action"
        | "code_actions" | "code_symbols" | "contents" | "rename" | "symbol_info" => fields.text("path"),
        "copy_path" | "move_path" => fields.text("source_path"),
        "rename_symbol" | "find_references" | "go_to_definition" | "get_code_actions" => {
            Fields::of(fields.get("symbol")).text("file_path")
        }
        "open" => fields.text("path_or_url").filter(|text| !is_url(&text.to_str())),
        "save_file" | "restore_file_from_disk" => only(&Fields::of(fields.get("paths"))),
        _ => None,
    }
}

/// A scheme of one letter is a drive.
fn is_url(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else { return false };
    let is_scheme = scheme.len() > 1
        && scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
    is_scheme && (rest.starts_with("//") || scheme.eq_ignore_ascii_case("mailto"))
}

fn only(list: &Fields<'_>) -> Option<Text> {
    let mut items = list.value()?.items();
    let first = items.next()?;
    if items.next().is_some() { None } else { first.text() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Document;

    #[test]
    fn every_built_in_tool() {
        type Shown<'a> = (Option<&'a str>, Option<&'a str>, Option<&'a str>);
        let path = |path: &'static str| (None, None, Some(path));
        let none: Shown<'_> = (None, None, None);
        let cases: [(&str, &str, Shown<'_>); 48] = [
            ("terminal", r#"{"command":"cargo test","cd":"api"}"#, (Some("cargo test"), Some("api"), None)),
            ("terminal", r#"{"command":"ls"}"#, (Some("ls"), None, None)),
            ("terminal", r#"{"command":["ls","-l"],"cd":""}"#, (None, Some(""), None)),
            ("bash", r#"{"command":"ls","cd":"api"}"#, (Some("ls"), Some("api"), None)),
            ("edit-file", r#"{"path":"a"}"#, path("a")),
            ("edit_file", r#"{"path":"a"}"#, path("a")),
            ("edit_file", r#"{"path":7}"#, none),
            ("streaming_edit_file", r#"{"path":"a"}"#, path("a")),
            ("write_file", r#"{"path":"a","content":""}"#, path("a")),
            ("create-file", r#"{"path":"a","contents":""}"#, path("a")),
            ("find-replace-file", r#"{"path":"a"}"#, path("a")),
            ("edit-files", r#"{"edit_instructions":"a"}"#, none),
            ("read_file", r#"{"path":"api/x","start_line":"270"}"#, path("api/x")),
            ("list-directory", r#"{"path":"api"}"#, path("api")),
            ("find_path", r#"{"glob":"**/*.rs"}"#, none),
            ("path-search", r#"{"glob":"**/*.rs"}"#, none),
            ("grep", r#"{"regex":"a","include_pattern":"api/**"}"#, none),
            ("regex-search", r#"{"regex":"a"}"#, none),
            ("copy_path", r#"{"source_path":"a","destination_path":"b"}"#, path("a")),
            ("move-path", r#"{"source_path":"a","destination_path":"b"}"#, path("a")),
            ("delete_path", r#"{"path":"a"}"#, path("a")),
            ("create_directory", r#"{"path":"a"}"#, path("a")),
            ("diagnostics", r#"{"path":"a"}"#, path("a")),
            ("diagnostics", "{}", none),
            ("fetch", r#"{"url":"https://example.com"}"#, none),
            ("web_search", r#"{"query":"a"}"#, none),
            ("now", r#"{"timezone":"utc"}"#, none),
            ("thinking", r#"{"content":"a"}"#, none),
            ("open", r#"{"path_or_url":"api/a.md"}"#, path("api/a.md")),
            ("open", r#"{"path_or_url":"C:\\a.md"}"#, path("C:\\a.md")),
            ("open", r#"{"path_or_url":"https://example.com"}"#, none),
            ("open", r#"{"path_or_url":"mailto:ana@example.com"}"#, none),
            ("save_file", r#"{"paths":["a"]}"#, path("a")),
            ("restore_file_from_disk", r#"{"paths":"[\"a\"]"}"#, path("a")),
            ("save_file", r#"{"paths":["a","b"]}"#, none),
            ("save_file", r#"{"paths":[]}"#, none),
            ("spawn_agent", r#"{"label":"a","message":"b"}"#, none),
            ("rename_symbol", r#"{"symbol":{"file_path":"a","line":1,"symbol_name":"f"},"new_name":"g"}"#, path("a")),
            ("find_references", r#"{"symbol":"{\"file_path\":\"a\"}"}"#, path("a")),
            ("go_to_definition", r#"{"symbol":{"file_path":"a"}}"#, path("a")),
            ("get_code_actions", r#"{"symbol":{"file_path":"a"}}"#, path("a")),
            ("apply_code_action", r#"{"index":1}"#, none),
            ("batch-tool", r#"{"invocations":[{"name":"read-file","input":{"path":"a"}}]}"#, none),
            ("code-symbols", r#"{"path":"a","offset":0}"#, path("a")),
            ("contents", r#"{"path":"a"}"#, path("a")),
            ("rename", r#"{"path":"a","symbol":"f","new_name":"g"}"#, path("a")),
            ("symbol_info", r#"{"path":"a"}"#, path("a")),
            ("github_search", r#"{"path":"a","command":"b","cd":"c"}"#, none),
        ];
        for (name, input, expected) in cases {
            let document = Document::parse(input.as_bytes().to_vec()).unwrap();
            let (tool, fields) = (snake_case(name.into()), Fields::Stored(document.root()));
            let shown = [command(&tool, &fields), working_directory(&tool, &fields), super::path(&tool, &fields)];
            let expected = [expected.0, expected.1, expected.2].map(|text| text.map(str::to_owned));
            assert_eq!(shown.map(|text| text.map(|text| text.to_string())), expected, "{name} {input}");
        }
    }
}
