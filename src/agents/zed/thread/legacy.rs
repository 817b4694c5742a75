//! Messages of the generations before 0.3.0, which have a `role`: versionless, 0.1.0, 0.2.0.

use super::item::{Content, Item, Place, ToolResult, described, expected};
use super::message::{Message, Speaker, call, result, string};
use crate::error::Error;
use crate::json::{Kind, Value};

/// Reads a message that has a role; `None` where it has none.
pub fn read<'d>(message: Value<'d>, before: Option<Value<'d>>) -> Option<Message<'d>> {
    let [id, role, segments, uses, results, context, is_hidden, text] = message.get_each([
        "id",
        "role",
        "segments",
        "tool_uses",
        "tool_results",
        "context",
        "is_hidden",
        "text",
    ]);
    let role = role?;
    let speaker = match () {
        () if role.is_str("user") => Speaker::User,
        () if role.is_str("assistant") => Speaker::Agent,
        () => Speaker::System,
    };
    let mut read = Message::of(speaker);
    read.id = id;
    let has_results = results.is_some_and(|results| !results.is_empty());
    // The results of 0.1.0 stand in the user message behind their calls. In front of everything they carry nothing.
    read.is_carrier = speaker == Speaker::User && has_results && before.is_some();
    read.is_synthetic = read.is_carrier || is_hidden.and_then(|flag| flag.as_bool()) == Some(true);
    if speaker == Speaker::System && !role.is_str("system") {
        let error = Error::shape(format!("unknown role: {}", described(role)));
        read.push(Place::Whole, message, Content::Unknown(error));
        return Some(read);
    }
    said(&mut read, segments, text, context);
    list(&mut read, uses, "tool_uses", |value| call(value).map(Content::Call));
    let calls = if read.is_carrier { before.and_then(|before| before.get("tool_uses")) } else { uses };
    list(&mut read, results, "tool_results", |value| {
        let result = result(value)?;
        let tool_name = result.tool_name.or_else(|| called(calls, &result));
        Ok(Content::Result(ToolResult { tool_name, ..result }))
    });
    Some(read)
}

/// Segments (since 0.1.0) or the one text (before), then the context.
fn said<'d>(
    read: &mut Message<'d>,
    segments: Option<Value<'d>>,
    text: Option<Value<'d>>,
    context: Option<Value<'d>>,
) {
    match segments {
        Some(_) => list(read, segments, "segments", segment),
        None => {
            if let Some(text) = text.filter(|text| !text.is_str("")) {
                let content = string(text, "text").map_or_else(Content::Damaged, Content::Text);
                read.push(Place::Member("text"), text, content);
            }
        }
    }
    if let Some(context) = context.filter(|context| !context.is_null() && !context.is_str("")) {
        let content = string(context, "context").map_or_else(Content::Damaged, Content::Context);
        read.push(Place::Member("context"), context, content);
    }
}

fn segment(value: Value<'_>) -> Result<Content<'_>, Error> {
    let [tag, text] = value.get_each(["type", "text"]);
    let is = |name: &str| tag.is_some_and(|tag| tag.is_str(name));
    let text = || text.ok_or_else(|| expected("a segment with text", "segments", value));
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
    list: Option<Value<'d>>,
    name: &'static str,
    element: impl Fn(Value<'d>) -> Result<Content<'d>, Error>,
) {
    let Some(list) = list.filter(|list| !list.is_null()) else { return };
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
