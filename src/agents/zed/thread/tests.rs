//! Messages of every generation, told as lines.

use super::item::{Content, Item};
use super::message::read;
use crate::json::{Document, Value};

/// `kind text` of each item.
fn told(message: &str) -> Vec<String> {
    let document = Document::parse(message.as_bytes().to_vec()).unwrap();
    let items = read(document.root(), None).items;
    items.iter().map(|item| format!("{}{}", item.place.pointer(7), say(&item.content))).collect()
}

fn say(content: &Content<'_>) -> String {
    let text = |value: &Value<'_>| value.as_str().unwrap().into_owned();
    match content {
        Content::Text(value) => format!(" text {}", text(value)),
        Content::Mention { uri, content } => {
            format!(" mention {} {}", uri.map_or("none", |uri| uri.raw()), content.as_ref().map_or_else(String::new, text))
        }
        Content::Image => " image".into(),
        Content::Thinking(value) => format!(" thinking {}", text(value)),
        Content::RedactedThinking => " redacted".into(),
        Content::Call(call) => format!(" call {}", call.arguments().unwrap()),
        Content::Result(result) => format!(" result {}", result.text().0.unwrap()),
        Content::Resume => " resume".into(),
        Content::Compaction(summary) => format!(" compaction {}", summary.as_ref().map_or_else(String::new, text)),
        Content::Context(value) => format!(" context {}", text(value)),
        Content::Unknown(error) => format!(" unknown {}", error.what()),
        Content::Damaged(error) => format!(" damaged {}", error.what()),
    }
}

/// Z01: a current message gives its content items, then its tool results, each with the pointer to it.
#[test]
fn items_of_current_messages() {
    assert_eq!(
        told(
            r#"{"Agent":{"content":[{"Thinking":{"text":"hm","signature":null}},{"RedactedThinking":"b64"},{"Text":"Profiling."},
            {"ToolUse":{"id":"call_1","name":"terminal","raw_input":"{}","input":{"type":"json","value":{"command":"cargo bench"}},"is_input_complete":true}}],
            "tool_results":{"call_1":{"tool_use_id":"call_1","tool_name":"terminal","is_error":false,"content":[{"Text":"fast"}],"output":"fast"}},"reasoning_details":null}}"#
        ),
        [
            "/messages/7/Agent/content/0 thinking hm",
            "/messages/7/Agent/content/1 redacted",
            "/messages/7/Agent/content/2 text Profiling.",
            r#"/messages/7/Agent/content/3 call {"command":"cargo bench"}"#,
            "/messages/7/Agent/tool_results/call_1 result fast",
        ]
    );
    assert_eq!(
        told(r#"{"User":{"id":"u","content":[{"Text":"go"},{"Mention":{"uri":"PastedImage","content":""}},{"Image":{"source":""}}]}}"#),
        [
            "/messages/7/User/content/0 text go",
            "/messages/7/User/content/1 mention \"PastedImage\" ",
            "/messages/7/User/content/2 image"
        ]
    );
    assert_eq!(told(r#""Resume""#), ["/messages/7 resume"]);
    assert_eq!(told(r#"{"Compaction":{"Summary":"short"}}"#), ["/messages/7 compaction short"]);
    assert_eq!(told(r#"{"Compaction":{"ProviderNative":{"provider":"x","items":[]}}}"#), ["/messages/7 compaction "]);
    assert_eq!(told(r#"{"User":{"id":"u","content":[]}}"#), [""; 0]);
}

/// Z11: what is of no known kind is one unknown item, and costs nothing beside it.
#[test]
fn what_is_of_no_known_kind() {
    for (message, what) in [
        (r#"{"Robot":{"x":1}}"#, "unknown message variant: an object of Robot"),
        ("{}", "unknown message variant: an empty object"),
        (r#""Pause""#, r#"unknown message variant: "Pause""#),
        (r#"{"User":{},"Agent":{}}"#, "unknown message variant: an object of User, Agent"),
        ("42", "unknown message variant: 42"),
        ("null", "unknown message variant: null"),
        (r#"{"Compaction":{"Odd":1}}"#, "unknown compaction: an object of Odd"),
    ] {
        assert_eq!(told(message), [format!("/messages/7 unknown {what}")], "{message}");
    }
    assert_eq!(
        told(r#"{"Agent":{"content":[{"Text":"ok7"},{"Video":{"u":1}},{"Text":"ok7b"},17],"tool_results":{}}}"#),
        [
            "/messages/7/Agent/content/0 text ok7",
            "/messages/7/Agent/content/1 unknown unknown Agent content: an object of Video",
            "/messages/7/Agent/content/2 text ok7b",
            "/messages/7/Agent/content/3 unknown unknown Agent content: 17",
        ]
    );
}

/// A value of the wrong type costs its own item only.
#[test]
fn wrong_types_cost_one_item() {
    assert_eq!(
        told(
            r#"{"Agent":{"content":[{"Text":5},{"Thinking":"x"},{"ToolUse":{"id":1}},{"Text":"ok"}],"tool_results":{"a":7,"b":{"is_error":"no"},"c":{"content":"fine"}}}}"#
        ),
        [
            "/messages/7/Agent/content/0 damaged expected a string in Text, found 5",
            "/messages/7/Agent/content/1 damaged expected an object with text in Thinking, found \"x\"",
            "/messages/7/Agent/content/2 damaged expected a string in id, found 1",
            "/messages/7/Agent/content/3 text ok",
            "/messages/7/Agent/tool_results/a damaged expected an object in a tool result, found 7",
            "/messages/7/Agent/tool_results/b damaged expected a boolean in is_error, found \"no\"",
            "/messages/7/Agent/tool_results/c result fine",
        ]
    );
    assert_eq!(told(r#"{"User":{"content":7}}"#), ["/messages/7/User/content damaged expected an array in content, found 7"]);
    assert_eq!(told(r#"{"User":null}"#), ["/messages/7/User damaged expected content in User, found null"]);
}


fn told_all(messages: &str) -> Vec<String> {
    let document = Document::parse(messages.as_bytes().to_vec()).unwrap();
    let mut before = None;
    let mut lines = Vec::new();
    for (index, value) in document.root().items().enumerate() {
        let message = read(value, before);
        let id = message.id_text().map(|id| id.to_string()).unwrap_or_default();
        let mark = if message.is_synthetic { "*" } else { "" };
        let words = |item: &Item<'_>| format!("{id}{mark} {}{}", item.place.pointer(index), say(&item.content));
        lines.extend(message.items.iter().map(words));
        before = Some(value);
    }
    lines
}

/// Z02: generation 0.2.0, with its integer ids, context, hidden and system messages, and redacted bytes.
#[test]
fn messages_of_0_2_0() {
    let messages = r#"[
        {"id":0,"role":"user","segments":[{"type":"text","text":"fix it"}],"tool_uses":[],"tool_results":[],"context":"<files>a.rs</files>","creases":[],"is_hidden":false},
        {"id":1,"role":"assistant","segments":[{"type":"thinking","text":"hm","signature":"s"},{"type":"text","text":"ok"}],
         "tool_uses":[{"id":"toolu_1","name":"edit_file","input":{"path":"a.rs"}}],
         "tool_results":[{"tool_use_id":"toolu_1","is_error":false,"content":{"Text":"Edited a.rs"}}],"context":"","is_hidden":false},
        {"id":2,"role":"user","segments":[{"type":"text","text":"continue silently"}],"is_hidden":true},
        {"id":3,"role":"system","segments":[{"type":"text","text":"be brief"}]},
        {"id":4,"role":"assistant","segments":[{"type":"RedactedThinking","data":[1,2,3]},{"type":"text","text":"done"}]},
        {"id":5,"role":"user","segments":[],"context":"pasted context only"}]"#;
    assert_eq!(
        told_all(messages),
        [
            "0 /messages/0/segments/0 text fix it",
            "0 /messages/0/context context <files>a.rs</files>",
            "1 /messages/1/segments/0 thinking hm",
            "1 /messages/1/segments/1 text ok",
            r#"1 /messages/1/tool_uses/0 call {"path":"a.rs"}"#,
            "1 /messages/1/tool_results/0 result Edited a.rs",
            "2* /messages/2/segments/0 text continue silently",
            "3 /messages/3/segments/0 text be brief",
            "4 /messages/4/segments/0 redacted",
            "4 /messages/4/segments/1 text done",
            "5 /messages/5/context context pasted context only",
        ]
    );
}

/// Z03: the results of 0.1.0 stand in the next user message, which the user did not type.
#[test]
fn messages_of_0_1_0() {
    let messages = r#"[
        {"id":0,"role":"user","segments":[{"type":"text","text":"list it"}]},
        {"id":1,"role":"assistant","segments":[],"tool_uses":[{"id":"t1","name":"list-directory","input":{"path":"api"}}]},
        {"id":2,"role":"user","segments":[],"tool_results":[{"tool_use_id":"t1","is_error":false,"content":"a.rs"}]},
        {"id":3,"role":"assistant","segments":[{"type":"text","text":"one file"}]}]"#;
    assert_eq!(
        told_all(messages),
        [
            "0 /messages/0/segments/0 text list it",
            r#"1 /messages/1/tool_uses/0 call {"path":"api"}"#,
            "2* /messages/2/tool_results/0 result a.rs",
            "3 /messages/3/segments/0 text one file",
        ]
    );
    let document = Document::parse(messages.as_bytes().to_vec()).unwrap();
    let values: Vec<_> = document.root().items().collect();
    let carrier = read(values[2], Some(values[1]));
    let Content::Result(result) = &carrier.items[0].content else { panic!("{carrier:?}") };
    assert_eq!(result.tool_name.unwrap().as_str().unwrap(), "list-directory");
}

/// Z04: the oldest messages have one text; what is of no known role or segment is told.
#[test]
fn messages_without_a_version() {
    assert_eq!(
        told_all(r#"[{"id":0,"role":"user","text":"hi"},{"id":1,"role":"assistant","text":""},{"role":"robot"},{"role":"user","segments":[{"type":"song"},4],"text":"not this"}]"#),
        [
            "0 /messages/0/text text hi",
            " /messages/2 unknown unknown role: \"robot\"",
            " /messages/3/segments/0 unknown unknown segment: an object of type",
            " /messages/3/segments/1 unknown unknown segment: 4",
        ]
    );
}
