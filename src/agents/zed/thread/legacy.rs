//! Messages of the generations before 0.3.0, which have a `role`: versionless, 0.1.0, 0.2.0.

use super::item::{Content, Item, Place, ToolResult, described, expected};
use super::message::{Message, Speaker, call, result, string};
use crate::error::Error;
use crate::json::{Kind, Value};

/// Reads a message that has a role.
pub fn read<'d>(message: Value<'d>, before: Option<Value<'d>>) -> Message<'d> {
    let is = |role: &str| message.get("role").is_some_and(|value| value.is_str(role));
    let speaker = match () {
        () if is("user") => Speaker::User,
        () if is("assistant") => Speaker::Agent,
        () => Speaker::System,
    };
    let mut read = Message::of(speaker);
    read.id = message.get("id");
    let results = message.get("tool_results").filter(|results| !results.is_empty());
    // The results of 0.1.0 stand in the user message behind their calls. In front of everything they carry nothing.
    read.is_carrier = speaker == Speaker::User && results.is_some() && before.is_some();
    read.is_synthetic = read.is_carrier || message.get("is_hidden").and_then(|flag| flag.as_bool()) == Some(true);
    if speaker == Speaker::System && !is("system") {
        let role = message.get("role").map(described).unwrap_or_default();
        read.push(Place::Whole, message, Content::Unknown(Error::shape(format!("unknown role: {role}"))));
        return read;
    }
    segments(&mut read, message);
    list(&mut read, message, "tool_uses", |value| call(value).map(Content::Call));
    let calls = if read.is_carrier { before } else { Some(message) }.and_then(|message| message.get("tool_uses"));
    list(&mut read, message, "tool_results", |value| {
        let result = result(value)?;
        let tool_name = result.tool_name.or_else(|| called(calls, &result));
        Ok(Content::Result(ToolResult { tool_name, ..result }))
    });
    read
}

/// Segments (since 0.1.0) or the one text (before), then the context.
fn segments<'d>(read: &mut Message<'d>, message: Value<'d>) {
    match message.get("segments") {
        Some(_) => list(read, message, "segments", segment),
        None => {
            if let Some(text) = message.get("text").filter(|text| !text.is_str("")) {
                let content = string(text, "text").map_or_else(Content::Damaged, Content::Text);
                read.push(Place::Member("text"), text, content);
            }
        }
    }
    if let Some(context) = message.get("context").filter(|context| !context.is_null() && !context.is_str("")) {
        let content = string(context, "context").map_or_else(Content::Damaged, Content::Context);
        read.push(Place::Member("context"), context, content);
    }
}

fn segment(value: Value<'_>) -> Result<Content<'_>, Error> {
    let is = |tag: &str| value.get("type").is_some_and(|found| found.is_str(tag));
    let text = || value.get("text").ok_or_else(|| expected("a segment with text", "segments", value));
    if is("text") {
        string(text()?, "text").map(Content::Text)
    } else if is("thinking") {
        string(text()?, "text").map(Content::Thinking)
    } else if is("RedactedThinking") {
        Ok(Content::RedactedThinking)
    } else {
        Ok(Content::Unknown(Error::shape(format!("unknown segment: {}", described(value)))))
    }
}

/// Reads the elements of an array member; one that is absent or null has none.
fn list<'d>(
    read: &mut Message<'d>,
    message: Value<'d>,
    name: &'static str,
    element: impl Fn(Value<'d>) -> Result<Content<'d>, Error>,
) {
    let Some(list) = message.get(name).filter(|list| !list.is_null()) else { return };
    if list.kind() != Kind::Array {
        return read.push(Place::Member(name), list, Content::Damaged(expected("an array", name, list)));
    }
    read.items.extend(list.items().enumerate().map(|(at, raw)| {
        let content = element(raw).unwrap_or_else(Content::Damaged);
        Item { place: Place::Element(name, at), raw, content }
    }));
}

/// The name of the call that a result answers.
fn called<'d>(calls: Option<Value<'d>>, result: &ToolResult<'d>) -> Option<Value<'d>> {
    let id = result.id?.as_str()?;
    let call = calls?.items().find(|call| call.get("id").is_some_and(|found| found.is_str(&id)))?;
    call.get("name").filter(|name| name.kind() == Kind::String)
}

#[cfg(test)]
mod tests {
    use super::super::message::{read, tests::say};
    use crate::json::Document;

    fn told(messages: &str) -> Vec<String> {
        let document = Document::parse(messages.as_bytes().to_vec()).unwrap();
        let mut before = None;
        let mut lines = Vec::new();
        for (index, value) in document.root().items().enumerate() {
            let message = read(value, before);
            let id = message.id_text().map(|id| id.to_string()).unwrap_or_default();
            let mark = if message.is_synthetic { "*" } else { "" };
            let words = |item: &super::Item<'_>| format!("{id}{mark} {}{}", item.place.pointer(index), say(&item.content));
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
            told(messages),
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
            told(messages),
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
        let super::Content::Result(result) = &carrier.items[0].content else { panic!("{carrier:?}") };
        assert_eq!(result.tool_name.unwrap().as_str().unwrap(), "list-directory");
    }

    /// Z04: the oldest messages have one text; what is of no known role or segment is told.
    #[test]
    fn messages_without_a_version() {
        assert_eq!(
            told(r#"[{"id":0,"role":"user","text":"hi"},{"id":1,"role":"assistant","text":""},{"role":"robot"},{"role":"user","segments":[{"type":"song"},4],"text":"not this"}]"#),
            [
                "0 /messages/0/text text hi",
                " /messages/2 unknown unknown role: \"robot\"",
                " /messages/3/segments/0 unknown unknown segment: an object of type",
                " /messages/3/segments/1 unknown unknown segment: 4",
            ]
        );
    }
}
