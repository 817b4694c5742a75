//! Changes of files, by tool and era.

use super::{At, Change, changes};
use crate::agents::zed::thread::item::{Call, Content, ToolResult};
use crate::agents::zed::thread::message;
use crate::json::Document;
use crate::table::{Pointer, Step};
use crate::text::Text;

/// What the cases look at: operation, status, basis, path or `from -> to`, old, new, diff, added and removed lines.
type Seen<'a> =
    (&'a str, &'a str, &'a str, &'a str, Option<&'a str>, Option<&'a str>, Option<&'a str>, Option<(i64, i64)>);

/// Reads one call, given without its braces, and one result as a message holds them, and asks something of them. An
/// empty text stands for no call and for no result.
pub fn one_call<T>(call: &str, result: &str, ask: impl Fn(Option<&Call<'_>>, Option<&ToolResult<'_>>) -> T) -> T {
    let calls = if call.is_empty() { String::new() } else { format!(r#"{{"ToolUse":{{{call}}}}}"#) };
    let results = if result.is_empty() { String::new() } else { format!(r#""id":{result}"#) };
    let text = format!(r#"{{"Agent":{{"content":[{calls}],"tool_results":{{{results}}}}}}}"#);
    let document = Document::parse(text.into_bytes()).unwrap_or_else(|error| panic!("{error}: {call} {result}"));
    let (mut call, mut answer) = (None, None);
    for item in message::read(document.root(), None).items {
        match item.content {
            Content::Call(found) => call = Some(found),
            Content::Result(found) => answer = Some(found),
            other => panic!("{other:?}"),
        }
    }
    ask(call.as_ref(), answer.as_ref())
}

/// The changes of a call of `tool`; an empty text stands for no call and for no result.
fn changed(tool: &str, input: &str, result: &str) -> Vec<Change> {
    let call = if input.is_empty() { String::new() } else { format!(r#""name":"{tool}","input":{input}"#) };
    one_call(&call, result, changes)
}

fn check(tool: &str, input: &str, result: &str, expected: &[Seen<'_>]) {
    let changes = changed(tool, input, result);
    let text = |text: &Option<Text>| text.as_ref().map(ToString::to_string);
    let path = |change: &Change| {
        let path = text(&change.path).unwrap_or_default();
        text(&change.destination).map_or(path.clone(), |to| format!("{path} -> {to}"))
    };
    let of = |change: &Change| (path(change), text(&change.old_text), text(&change.new_text), text(&change.diff));
    let texts: Vec<_> = changes.iter().map(of).collect();
    let seen = changes.iter().zip(&texts).map(|(change, (path, old, new, diff))| {
        let (operation, status) = (change.operation.as_str(), change.status.as_str());
        (operation, status, change.basis, &**path, old.as_deref(), new.as_deref(), diff.as_deref(), change.lines())
    });
    assert_eq!(seen.collect::<Vec<Seen<'_>>>(), expected, "{tool} {input} {result}");
}

const DONE: &str = r#"{"is_error":false,"content":[{"Text":"Edited api/v.txt successfully"}]}"#;
const DIFF: &str = "@@ -1,1 +1,1 @@\n-1\n+2\n";

/// A result with both texts.
fn output(extra: &str, old: &str, new: &str) -> String {
    format!(r#"{{"is_error":false,"content":[],"output":{{{extra}"old_text":"{old}","new_text":"{new}"}}}}"#)
}

#[test]
fn whole_texts_stand_in_the_output() {
    let path = r#"{"path":"api/v.txt","edits":[{"old_text":"1","new_text":"2"}]}"#;
    let named = r#""input_path":"api/v.txt","diff":"@@ -1,1 +1,1 @@\n-1\n+2\n","#;
    let whole = ("applied", "output", "api/v.txt");
    let row = |operation, old, new, diff, lines| (operation, whole.0, whole.1, whole.2, Some(old), Some(new), diff, lines);
    for tool in ["edit_file", "streaming_edit_file"] {
        let expected = [row("edit", "1\n", "2\n", Some(DIFF), Some((1, 1)))];
        check(tool, path, &output(named, r"1\n", r"2\n"), &expected);
    }
    let no_diff = r#""input_path":"api/v.txt","#;
    check("write_file", r#"{"path":"api/v.txt","content":"2\n"}"#, &output(no_diff, "", r"2\n"), &[row(
        "create", "", "2\n", None, Some((1, 0)),
    )]);
    check("write_file", r#"{"path":"api/v.txt","content":"2\n"}"#, &output(no_diff, r"1\n", r"2\n"), &[row(
        "overwrite", "1\n", "2\n", None, Some((1, 1)),
    )]);
    // Only the final newline differs: Zed records no hunk.
    let empty_diff = r#""input_path":"api/v.txt","diff":"","#;
    let expected = [row("edit", "1", "1\n", Some(""), Some((1, 1)))];
    check("edit_file", path, &output(empty_diff, "1", r"1\n"), &expected);
    let unchanged = ("edit", "unchanged", "output", "api/v.txt", Some("1\n"), Some("1\n"), Some(""), Some((0, 0)));
    check("edit_file", path, &output(empty_diff, r"1\n", r"\u0031\n"), &[unchanged]);
    // A result whose call is lost.
    let lost = output(named, r"1\n", r"2\n").replace(r#"{"is_error""#, r#"{"tool_name":"edit_file","is_error""#);
    check("", "", &lost, &[row("edit", "1\n", "2\n", Some(DIFF), Some((1, 1)))]);
}

#[test]
fn modes_name_the_operation() {
    let path = r#""input_path":"api/v.txt","#;
    for (tool, input, old, operation) in [
        ("edit_file", r#"{"path":"api/v.txt","mode":"edit"}"#, r"1\n", "edit"),
        ("edit_file", r#"{"path":"api/v.txt","mode":"edit"}"#, "", "edit"),
        ("edit_file", r#"{"path":"api/v.txt","mode":"create"}"#, "", "create"),
        ("edit_file", r#"{"path":"api/v.txt","mode":"create"}"#, r"1\n", "create"),
        ("edit_file", r#"{"path":"api/v.txt","mode":"\"create\""}"#, "", "create"),
        ("edit_file", r#"{"path":"api/v.txt","mode":"overwrite"}"#, r"1\n", "overwrite"),
        ("edit_file", r#"{"path":"api/v.txt","mode":"write","content":"2"}"#, "", "create"),
        ("edit_file", r#"{"path":"api/v.txt","mode":"write","content":"2"}"#, r"1\n", "overwrite"),
        ("edit_file", r#"{"path":"api/v.txt","create_or_overwrite":true}"#, "", "create"),
        ("edit_file", r#"{"path":"api/v.txt","create_or_overwrite":false}"#, r"1\n", "edit"),
        ("create_file", r#"{"path":"api/v.txt","contents":"2"}"#, r"1\n", "overwrite"),
    ] {
        let change = changed(tool, input, &output(path, old, r"2\n"));
        assert_eq!(change[0].operation.as_str(), operation, "{tool} {input} {old:?}");
    }
}

#[test]
fn the_first_agent_names_the_path_in_the_input() {
    let output = output(r#""original_path":"a.rs","raw_output":{},"#, r"a\n", r"b\n");
    let row = |path| ("edit", "applied", "output", path, Some("a\n"), Some("b\n"), None, Some((1, 1)));
    check("edit_file", r#"{"path":"api/a.rs","mode":"edit"}"#, &output, &[row("api/a.rs")]);
    check("edit_file", "{}", &output, &[row("a.rs")]);
}

#[test]
fn without_output_the_input_tells() {
    let hunk = |operation, old, new, lines| (operation, "applied", "input", "api/v.txt", old, new, None, lines);
    let edit = |old, new, lines| hunk("edit", Some(old), Some(new), lines);
    for input in [
        r#"{"path":"api/v.txt","edits":[{"old_text":"1","new_text":"2"}]}"#,
        r#"{"path":"api/v.txt","edits":"[{\"old_text\":\"1\",\"new_text\":\"2\"}]"}"#,
        r#"{"path":"api/v.txt","edits":["{\"old_text\":\"1\",\"new_text\":\"2\"}"]}"#,
        r#"{"type":"json","value":{"path":"api/v.txt","old_string":"1","new_string":"2"}}"#,
        r#"{"path":"api/v.txt","find":"1","replace":"2"}"#,
        r#""{\"path\":\"api/v.txt\",\"old_text\":\"1\",\"new_text\":\"2\"}""#,
    ] {
        for tool in ["edit_file", "edit-file", "find-replace-file"] {
            check(tool, input, DONE, &[edit("1", "2", Some((1, 1)))]);
        }
    }
    let several = r#"{"path":"api/v.txt","edits":[{"old_text":"1","new_text":"2"},{"old_text":"a\nb"},7]}"#;
    check("edit_file", several, DONE, &[
        edit("1", "2", Some((1, 1))),
        hunk("edit", Some("a\nb"), None, None),
        hunk("edit", None, None, None),
    ]);
    let created = [hunk("create", None, Some("x\ny\n"), Some((2, 0)))];
    check("create-file", r#"{"path":"api/v.txt","contents":"x\ny\n"}"#, DONE, &created);
    check("edit_file", r#"{"path":"api/v.txt","mode":"create","content":"x\ny\n"}"#, DONE, &created);
    let written = [hunk("overwrite", None, Some("x\n"), None)];
    check("write_file", r#"{"path":"api/v.txt","content":"x\n"}"#, DONE, &written);
    check("edit_file", r#"{"path":"api/v.txt","content":"x\n"}"#, DONE, &written);
    let nothing = ("edit", "applied", "input", "", None, None, None, None);
    check("edit-files", r#"{"edit_instructions":"bump"}"#, DONE, &[nothing]);
}

#[test]
fn a_diff_stands_in_what_the_model_read() {
    let fenced = r#"{"is_error":false,"output":null,"content":{"Text":"Edited api/v.txt:\n\n```diff\n@@ -1 +1 @@\n-1\n+2\n```"}}"#;
    let diff = Some("@@ -1 +1 @@\n-1\n+2");
    check("edit_file", r#"{"display_description":"bump","path":"api/v.txt","mode":"edit"}"#, fenced, &[(
        "edit", "applied", "diff_fence", "api/v.txt", None, None, diff, Some((1, 1)),
    )]);
    check("find_replace_file", r#"{"path":"api/v.txt","find":"1","replace":"2"}"#, fenced, &[(
        "edit", "applied", "input", "api/v.txt", Some("1"), Some("2"), diff, Some((1, 1)),
    )]);
    let none = r#"{"is_error":false,"content":"No edits were made."}"#;
    check("edit_file", r#"{"path":"api/v.txt","mode":"edit"}"#, none, &[(
        "edit", "unchanged", "input", "api/v.txt", None, None, None, None,
    )]);
}

#[test]
fn failures_and_halves() {
    let path = r#"{"path":"api/v.txt","edits":[{"old_text":"1","new_text":"2"}]}"#;
    let two = r#"{"path":"api/v.txt","edits":[{"old_text":"1","new_text":"2"},{"old_text":"3","new_text":"4"}]}"#;
    let failed = |old, new| ("edit", "failed", "input", "api/v.txt", old, new, None, None);
    for result in [
        r#"{"is_error":true,"content":"Permission to run tool denied by user"}"#,
        r#"{"is_error":true,"content":"x","output":{"error":"x"}}"#,
        r#"{"is_error":true,"content":"x","output":{"error":"x","input_path":null,"diff":""}}"#,
        r#"{"is_error":true,"content":"x","output":"x"}"#,
        r#"{"is_error":false,"content":"x","output":{"error":"x"}}"#,
    ] {
        check("edit_file", path, result, &[failed(Some("1"), Some("2"))]);
        check("edit_file", two, result, &[failed(None, None)]);
    }
    let half = r#"{"is_error":true,"content":"x","output":{"error":"x","input_path":"api/v.txt","diff":"@@ -1,1 +1,1 @@\n-1\n+2\n"}}"#;
    let partial = ("edit", "partial", "output", "api/v.txt", None, None, Some(DIFF), Some((1, 1)));
    check("edit_file", two, half, &[partial]);
    let open = |old, new| ("edit", "unknown", "input", "api/v.txt", Some(old), Some(new), None, Some((1, 1)));
    check("edit_file", two, "", &[open("1", "2"), open("3", "4")]);
}

#[test]
fn other_tools_leave_paths() {
    let ok = r#"{"is_error":false,"content":"Deleted api/a"}"#;
    let error = r#"{"is_error":true,"content":"Tool canceled by user"}"#;
    let row = |operation, path, status| [(operation, status, "input", path, None, None, None, None)];
    for (tool, input, operation, path) in [
        ("delete_path", r#"{"path":"api/a"}"#, "delete", "api/a"),
        ("delete-path", r#"{"path":"api/a"}"#, "delete", "api/a"),
        ("create_directory", r#"{"path":"api/a","reason":"tests"}"#, "mkdir", "api/a"),
        ("move_path", r#"{"source_path":"api/a","destination_path":"api/b"}"#, "move", "api/a -> api/b"),
        ("copy-path", r#"{"source_path":"api/a","destination_path":"api/b"}"#, "copy", "api/a -> api/b"),
        ("rename", r#"{"path":"api/a","symbol":"f","new_name":"g"}"#, "edit", "api/a"),
    ] {
        check(tool, input, ok, &row(operation, path, "applied"));
        check(tool, input, error, &row(operation, path, "failed"));
        check(tool, input, "", &row(operation, path, "unknown"));
    }
    for tool in ["terminal", "read_file", "save_file", "get_code_actions", "some_mcp_tool"] {
        check(tool, r#"{"path":"api/a","command":"rm a"}"#, ok, &[]);
    }
}

#[test]
fn the_language_server_lists_files() {
    let renamed = r#"{"is_error":false,"content":[{"Text":"Renamed `f` to `g` in 2 file(s):\n- api/a.rs\n- api/b.rs\n"}]}"#;
    let row = |status, basis, path| ("edit", status, basis, path, None, None, None, None);
    let both = [row("applied", "output", "api/a.rs"), row("applied", "output", "api/b.rs")];
    let symbol = r#"{"symbol":{"file_path":"api/a.rs","line":1,"symbol_name":"f"},"new_name":"g"}"#;
    check("rename_symbol", symbol, renamed, &both);
    check("apply_code_action", r#"{"index":1}"#, renamed, &both);
    let none = r#"{"is_error":false,"content":"No changes were made. The language server could not rename 'f'."}"#;
    check("rename_symbol", symbol, none, &[row("unchanged", "input", "api/a.rs")]);
    let none = r#"{"is_error":false,"content":"Code action 'Fix' was applied but made no changes."}"#;
    check("apply_code_action", r#"{"index":1}"#, none, &[row("unchanged", "input", "")]);
    let error = r#"{"is_error":true,"content":"Rename failed: x\n- api/c.rs"}"#;
    check("rename_symbol", symbol, error, &[row("failed", "input", "api/a.rs")]);
}

#[test]
fn a_code_action_changes_a_file_where_one_was_done() {
    let done = r#"{"is_error":false,"content":"Completed code action: Inline"}"#;
    let error = r#"{"is_error":true,"content":"No code actions match the pattern: x"}"#;
    let row = |status| [("edit", status, "input", "api/a", None, None, None, None)];
    for (tool, action) in [
        ("code_actions", r#""source.fixAll""#),
        ("code-actions", r#""textDocument/rename""#),
        ("code-action", r#"{"rename":"g"}"#),
    ] {
        let input = format!(r#"{{"path":"api/a","action":{action},"text_range":"f"}}"#);
        check(tool, &input, done, &row("applied"));
        check(tool, &input, error, &row("failed"));
        check(tool, &input, "", &row("unknown"));
    }
    for input in [r#"{"path":"api/a"}"#, r#"{"path":"api/a","action":null}"#, r#"{"path":"api/a","action":"list_available"}"#] {
        check("code_actions", input, r#"{"is_error":false,"content":"Available code actions …"}"#, &[]);
    }
}

#[test]
fn replaced_parts_stand_in_blocks() {
    let block = |old: &str, new: &str| {
        format!(r"\n\napi/a.rs\n```rust\n<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n```")
    };
    let input = r#"{"edit_instructions":"bump"}"#;
    let row = |operation, status, old, new, lines| (operation, status, "diff_fence", "api/a.rs", Some(old), Some(new), None, Some(lines));
    let both = format!("{}{}", block(r"1\n", r"2\n"), block("", r"x\ny\n"));
    let done = format!(r#"{{"is_error":false,"content":"Successfully applied! Here's a list of applied edits:{both}"}}"#);
    check("edit-files", input, &done, &[
        row("edit", "applied", "1", "2", (1, 1)),
        row("create", "applied", "", "x\ny", (2, 0)),
    ]);
    let head = r"1 errors occurred, but 1 edits were correctly applied.\n# 1 SEARCH/REPLACE block(s) applied:";
    let half = format!(r#"{{"is_error":true,"content":"{head}{}\n\n## 1 SEARCH/REPLACE block(s) failed to match:"}}"#, block(r"1\n", ""));
    check("edit_files", input, &half, &[row("edit", "partial", "1", "", (0, 1))]);
    let none = r#"{"is_error":true,"content":"1 errors occurred! No edits were applied."}"#;
    check("edit_files", input, none, &[("edit", "failed", "input", "", None, None, None, None)]);
}

#[test]
fn a_batch_holds_calls() {
    let batch = r#"{"invocations":[
        {"name":"read-file","input":{"path":"api/a"}},
        {"name":"find-replace-file","input":{"path":"api/a","find":"1","replace":"2"}},
        {"name":"edit-file","input":"{\"path\":\"api/b\",\"edits\":[{\"old_text\":\"1\",\"new_text\":\"2\"},{\"old_text\":\"3\",\"new_text\":\"4\"}]}"},
        {"name":"delete-path","input":{"path":"api/c"}}, {"input":{}}, 7]}"#;
    let result = r#"{"is_error":false,"content":"Tool 'find-replace-file' result:\nEdited api/a\n\nTool 'delete-path' error: no"}"#;
    let edit = |path, old, new| ("edit", "applied", "input", path, Some(old), Some(new), None, Some((1, 1)));
    let deleted = ("delete", "unknown", "input", "api/c", None, None, None, None);
    let rows = [edit("api/a", "1", "2"), edit("api/b", "1", "2"), edit("api/b", "3", "4"), deleted];
    check("batch-tool", batch, result, &rows);
    let at = |batch: &str| -> Vec<String> {
        let place = |change: Change| match change.at {
            At::Call => "call".to_owned(),
            At::Inside(steps) => <[Step]>::iter(&steps).cloned().fold(Pointer::record(), |at, step| at.join(step)).to_string(),
            At::Part(part) => part.to_string(),
        };
        changed("batch-tool", batch, result).into_iter().map(place).collect()
    };
    let inside = "/input/invocations";
    assert_eq!(at(batch), [format!("{inside}/1"), "1".into(), "2".into(), format!("{inside}/3")]);
    let stored = batch.replace(r#""{\"path\":\"api/b\",\"edits\":[{\"old_text\":\"1\",\"new_text\":\"2\"},{\"old_text\":\"3\",\"new_text\":\"4\"}]}""#, r#"{"edits":[{},{}]}"#);
    assert_eq!(at(&stored)[1..3], [format!("{inside}/2/input/edits/0"), format!("{inside}/2/input/edits/1")]);
}
