//! `MentionUri`, an enum in the document, as the URI that Zed writes for it everywhere else.

use super::item::described;
use crate::error::Error;
use crate::json::{Kind, Value};
use crate::store::uri::{file_uri, path_segment, query_value};
use crate::text::Text;
use std::fmt::Write as _;

const AGENT: &str = "zed:///agent/";

/// The URI. A string stays as it is; a variant of no known shape is an error.
pub fn uri(mention: Value<'_>) -> Result<Text, Error> {
    if mention.kind() == Kind::String {
        return Ok(match () {
            () if mention.is_str("PastedImage") => Text::Static("zed:///agent/pasted-image"),
            () if mention.is_str("TerminalSelection") => Text::Static("zed:///agent/terminal-selection"),
            () => return mention.text().ok_or_else(|| unknown(mention)),
        });
    }
    let mut entries = mention.entries();
    let (Some((variant, inner)), None) = (entries.next(), entries.next()) else { return Err(unknown(mention)) };
    written(&variant.as_str(), inner).map(Text::from).ok_or_else(|| unknown(mention))
}

fn unknown(mention: Value<'_>) -> Error {
    Error::shape(format!("unknown mention: {}", described(mention)))
}

fn written(variant: &str, inner: Value<'_>) -> Option<String> {
    let text = |name: &str| inner.get(name).and_then(|value| value.as_str());
    Some(match variant {
        "File" => file_uri(&text("abs_path")?, false),
        "Directory" => file_uri(&text("abs_path")?, true),
        "Symbol" => {
            let (file, lines) = (path(inner).map(|path| file_uri(&path, false))?, lines(inner)?);
            format!("{file}?symbol={}#{lines}", query_value(&text("name")?))
        }
        "Selection" => selection(inner)?,
        "Thread" => agent(&format!("thread/{}", path_segment(&text("id")?)), &[("name", text("name"))]),
        "TextThread" => agent(&format!("text-thread/{}", path_segment(&text("path")?)), &[("name", text("name"))]),
        "Rule" => agent(&format!("rule/{}", path_segment(&rule_id(inner.get("id")?)?)), &[("name", text("name"))]),
        "Diagnostics" => diagnostics(inner),
        "Fetch" => text("url")?.into_owned(),
        "PastedImage" => agent("pasted-image", &[("name", text("name"))]),
        "TerminalSelection" => {
            let count = inner.get("line_count").and_then(|count| count.as_u64());
            agent("terminal-selection", &[("lines", count.map(|count| count.to_string().into()))])
        }
        "GitDiff" => agent("git-diff", &[("base", text("base_ref"))]),
        "MergeConflict" => agent("merge-conflict", &[("path", text("file_path"))]),
        "Skill" => {
            agent("skill", &[("name", text("name")), ("source", text("source")), ("path", text("skill_file_path"))])
        }
        _ => return None,
    })
}

/// `zed:///agent/<what>?name=value&…`, without the parameters that are absent.
fn agent(what: &str, parameters: &[(&str, Option<std::borrow::Cow<'_, str>>)]) -> String {
    let mut uri = format!("{AGENT}{what}");
    let mut mark = '?';
    for (name, value) in parameters {
        if let Some(value) = value {
            let _ = write!(uri, "{mark}{name}={}", query_value(value));
            mark = '&';
        }
    }
    uri
}

/// Until 2025-08-23 the key was `path`.
fn path<'d>(inner: Value<'d>) -> Option<std::borrow::Cow<'d, str>> {
    inner.get("abs_path").or_else(|| inner.get("path")).and_then(|path| path.as_str())
}

/// `L10:20` of lines that are counted from 0. Under the key `path` the last one is not inside.
fn lines(inner: Value<'_>) -> Option<String> {
    let range = inner.get("line_range")?;
    let (start, end) = (range.get("start")?.as_u64()?, range.get("end")?.as_u64()?);
    let is_half_open = inner.get("abs_path").is_none() && inner.get("path").is_some() && end > start;
    Some(format!("L{}:{}", start.saturating_add(1), if is_half_open { end } else { end.saturating_add(1) }))
}

fn selection(inner: Value<'_>) -> Option<String> {
    let lines = lines(inner)?;
    let Some(path) = path(inner) else { return Some(format!("{AGENT}untitled-buffer#{lines}")) };
    let mut uri = file_uri(&path, false);
    if let Some(column) = inner.get("column").and_then(|column| column.as_u64()) {
        let _ = write!(uri, "?column={}", column.saturating_add(1));
    }
    Some(format!("{uri}#{lines}"))
}

/// `{"User":{"uuid":"…"}}`, or another form, which is given as it is.
fn rule_id(id: Value<'_>) -> Option<String> {
    let uuid = id.get("User").and_then(|user| user.get("uuid")).and_then(|uuid| uuid.as_str());
    uuid.or_else(|| id.as_str()).map(std::borrow::Cow::into_owned).or_else(|| Some(id.compact().to_string()))
}

/// Only what differs from the default stands in the URI.
fn diagnostics(inner: Value<'_>) -> String {
    let flag = |name: &str| inner.get(name).and_then(|flag| flag.as_bool());
    let warnings = (flag("include_warnings") == Some(true)).then(|| "true".into());
    let errors = (flag("include_errors") == Some(false)).then(|| "false".into());
    agent("diagnostics", &[("include_warnings", warnings), ("include_errors", errors)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Document;

    /// Z05, Z06: every variant of every era as the URI that Zed writes for it.
    #[test]
    fn every_variant_has_its_uri() {
        for (mention, want) in [
            (r#"{"File":{"abs_path":"/home/ana/api/a.rs"}}"#, "file:///home/ana/api/a.rs"),
            (r#"{"Directory":{"abs_path":"/home/ana/api/src"}}"#, "file:///home/ana/api/src/"),
            (
                r#"{"Symbol":{"abs_path":"/home/ana/api/a.rs","name":"foo","line_range":{"start":9,"end":19}}}"#,
                "file:///home/ana/api/a.rs?symbol=foo#L10:20",
            ),
            (
                r#"{"Symbol":{"path":"/home/ana/api/a.rs","name":"foo","line_range":{"start":9,"end":20}}}"#,
                "file:///home/ana/api/a.rs?symbol=foo#L10:20",
            ),
            (
                r#"{"Selection":{"abs_path":"/home/ana/web/src/a.rs","line_range":{"start":9,"end":19},"column":3}}"#,
                "file:///home/ana/web/src/a.rs?column=4#L10:20",
            ),
            (r#"{"Selection":{"abs_path":"/home/ana/api/a.rs","line_range":{"start":0,"end":3}}}"#, "file:///home/ana/api/a.rs#L1:4"),
            (r#"{"Selection":{"line_range":{"start":0,"end":9}}}"#, "zed:///agent/untitled-buffer#L1:10"),
            (r#"{"Thread":{"id":"b5a0","name":"Fix login"}}"#, "zed:///agent/thread/b5a0?name=Fix+login"),
            (r#"{"TextThread":{"path":"/c/Old - 1.zed.json","name":"Old"}}"#, "zed:///agent/text-thread//c/Old%20-%201.zed.json?name=Old"),
            (r#"{"Rule":{"id":{"User":{"uuid":"9999"}},"name":"House"}}"#, "zed:///agent/rule/9999?name=House"),
            (r#"{"Rule":{"id":"CommitMessage","name":"C"}}"#, "zed:///agent/rule/CommitMessage?name=C"),
            (r#"{"Diagnostics":{"include_errors":true,"include_warnings":false}}"#, "zed:///agent/diagnostics"),
            (
                r#"{"Diagnostics":{"include_errors":false,"include_warnings":true}}"#,
                "zed:///agent/diagnostics?include_warnings=true&include_errors=false",
            ),
            (r#"{"Fetch":{"url":"https://example.com/a?b=c"}}"#, "https://example.com/a?b=c"),
            (r#""PastedImage""#, "zed:///agent/pasted-image"),
            (r#"{"PastedImage":{"name":"Image"}}"#, "zed:///agent/pasted-image?name=Image"),
            (r#""TerminalSelection""#, "zed:///agent/terminal-selection"),
            (r#"{"TerminalSelection":{"line_count":12}}"#, "zed:///agent/terminal-selection?lines=12"),
            (r#"{"GitDiff":{"base_ref":"main"}}"#, "zed:///agent/git-diff?base=main"),
            (r#"{"MergeConflict":{"file_path":"src/a.rs"}}"#, "zed:///agent/merge-conflict?path=src/a.rs"),
            (
                r#"{"Skill":{"name":"x","source":"","skill_file_path":"/s/x/SKILL.md"}}"#,
                "zed:///agent/skill?name=x&source=&path=/s/x/SKILL.md",
            ),
            (r#""file:///home/ana/proj/README.md""#, "file:///home/ana/proj/README.md"),
        ] {
            let document = Document::parse(mention.as_bytes().to_vec()).unwrap();
            assert_eq!(uri(document.root()).unwrap(), want, "{mention}");
        }
    }

    #[test]
    fn an_unknown_variant_is_told() {
        for (mention, what) in [
            (r#"{"Foo":{"bar":1}}"#, "shape: unknown mention: an object of Foo"),
            (r#"{"File":{"path":"/a"}}"#, "shape: unknown mention: an object of File"),
            (r#"{"File":{},"Fetch":{}}"#, "shape: unknown mention: an object of File, Fetch"),
            ("7", "shape: unknown mention: 7"),
        ] {
            let document = Document::parse(mention.as_bytes().to_vec()).unwrap();
            assert_eq!(uri(document.root()).unwrap_err().to_string(), what, "{mention}");
        }
    }
}
