//! One element of `messages[]`, of whatever generation.

use super::item::{Call, Content, Item, Place, ToolResult, described, expected};
use super::legacy;
use crate::error::Error;
use crate::json::{Kind, Value};
use crate::text::Text;

/// Who speaks in a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speaker {
    /// The person.
    User,
    /// The model.
    Agent,
    /// The program: old `system` messages, `Resume`, compactions, what is of no known variant.
    System,
}

/// A message and its items, borrowed from its document.
#[derive(Debug, Clone)]
pub struct Message<'d> {
    /// Who speaks.
    pub speaker: Speaker,
    /// The store's own id: a UUID of a user message since 0.3.0, an integer before.
    pub id: Option<Value<'d>>,
    /// The user did not type it: a hidden message, or a carrier of results.
    pub is_synthetic: bool,
    /// A user message of 0.1.0 that only carries the results of the calls in the message before.
    pub is_carrier: bool,
    /// Content, then calls that stand apart (old generations), then results.
    pub items: Vec<Item<'d>>,
}

impl<'d> Message<'d> {
    pub(super) fn of(speaker: Speaker) -> Self {
        Self { speaker, id: None, is_synthetic: false, is_carrier: false, items: Vec::new() }
    }

    pub(super) fn push(&mut self, place: Place<'d>, raw: Value<'d>, content: Content<'d>) {
        self.items.push(Item { place, raw, content });
    }

    /// Did the user type it? A marker without content (`/compact` leaves one) was not typed.
    pub fn is_prompt(&self) -> bool {
        let is_typed = |item: &Item<'_>| !matches!(item.content, Content::Context(_) | Content::Damaged(_));
        self.speaker == Speaker::User && !self.is_synthetic && self.items.iter().any(is_typed)
    }

    /// The id as a cell.
    pub fn id_text(&self) -> Option<Text> {
        self.id.and_then(|id| id.text().or_else(|| (id.kind() == Kind::Number).then(|| id.verbatim())))
    }
}

/// Reads a message. `before` is the message in front of it: a carrier's results take their tool's name from there.
pub fn read<'d>(message: Value<'d>, before: Option<Value<'d>>) -> Message<'d> {
    if message.is_str("Resume") {
        let mut resume = Message::of(Speaker::System);
        resume.push(Place::Whole, message, Content::Resume);
        return resume;
    }
    let mut entries = message.entries();
    match (entries.next(), entries.next()) {
        (Some((key, inner)), None) if key == "User" => user(message, inner),
        (Some((key, inner)), None) if key == "Agent" => agent(message, inner),
        (Some((key, inner)), None) if key == "Compaction" => compaction(message, inner),
        _ if message.get("role").is_some() => legacy::read(message, before),
        _ => unknown(message),
    }
}

fn unknown(message: Value<'_>) -> Message<'_> {
    let mut odd = Message::of(Speaker::System);
    let error = Error::shape(format!("unknown message variant: {}", described(message)));
    odd.push(Place::Whole, message, Content::Unknown(error));
    odd
}

fn user<'d>(message: Value<'d>, inner: Value<'d>) -> Message<'d> {
    let mut user = Message::of(Speaker::User);
    user.id = inner.get("id");
    content(&mut user, "User", message, inner, user_item);
    user
}

fn agent<'d>(message: Value<'d>, inner: Value<'d>) -> Message<'d> {
    let mut agent = Message::of(Speaker::Agent);
    content(&mut agent, "Agent", message, inner, agent_item);
    let Some(results) = inner.get("tool_results").filter(|results| !results.is_null()) else { return agent };
    if results.kind() != Kind::Object {
        let error = expected("an object", "tool_results", results);
        agent.push(Place::VariantMember("Agent", "tool_results"), results, Content::Damaged(error));
        return agent;
    }
    for (key, entry) in results.entries() {
        let content = match result(entry) {
            Ok(result) => Content::Result(ToolResult { key: Some(key), ..result }),
            Err(error) => Content::Damaged(error),
        };
        agent.push(Place::VariantEntry("Agent", "tool_results", key), entry, content);
    }
    agent
}

fn compaction<'d>(message: Value<'d>, inner: Value<'d>) -> Message<'d> {
    let mut compaction = Message::of(Speaker::System);
    let content = match (inner.get("Summary"), inner.get("ProviderNative")) {
        (Some(summary), None) if summary.kind() == Kind::String => Content::Compaction(Some(summary)),
        (Some(summary), None) => Content::Damaged(expected("a string", "Summary", summary)),
        (None, Some(_)) => Content::Compaction(None),
        _ => Content::Unknown(Error::shape(format!("unknown compaction: {}", described(inner)))),
    };
    compaction.push(Place::Whole, message, content);
    compaction
}

/// Reads the items of `content`, each by its own variant.
fn content<'d>(
    message: &mut Message<'d>,
    variant: &'static str,
    whole: Value<'d>,
    inner: Value<'d>,
    item: fn(&str, Value<'d>) -> Option<Result<Content<'d>, Error>>,
) {
    let list = match inner.get("content") {
        Some(list) if list.kind() == Kind::Array => list,
        Some(other) => {
            let error = expected("an array", "content", other);
            return message.push(Place::VariantMember(variant, "content"), other, Content::Damaged(error));
        }
        None => {
            let error = Error::shape(format!("expected content in {variant}, found {}", described(inner)));
            return message.push(Place::Member(variant), whole, Content::Damaged(error));
        }
    };
    for (at, raw) in list.items().enumerate() {
        let mut entries = raw.entries();
        let content = match (entries.next(), entries.next()) {
            (Some((key, inner)), None) => item(&key.as_str(), inner),
            _ => None,
        };
        let unknown = || Content::Unknown(Error::shape(format!("unknown {variant} content: {}", described(raw))));
        let content = content.map_or_else(unknown, |content| content.unwrap_or_else(Content::Damaged));
        message.push(Place::VariantElement(variant, "content", at), raw, content);
    }
}

fn user_item<'d>(variant: &str, inner: Value<'d>) -> Option<Result<Content<'d>, Error>> {
    Some(match variant {
        "Text" => string(inner, "Text").map(Content::Text),
        "Mention" if inner.kind() != Kind::Object => Err(expected("an object", "Mention", inner)),
        "Mention" => member(inner, "content", Kind::String)
            .map(|content| Content::Mention { uri: inner.get("uri").filter(|uri| !uri.is_null()), content }),
        "Image" => Ok(Content::Image),
        _ => return None,
    })
}

fn agent_item<'d>(variant: &str, inner: Value<'d>) -> Option<Result<Content<'d>, Error>> {
    Some(match variant {
        "Text" => string(inner, "Text").map(Content::Text),
        "Thinking" => match inner.get("text") {
            Some(text) => string(text, "Thinking.text").map(Content::Thinking),
            None => Err(expected("an object with text", "Thinking", inner)),
        },
        "RedactedThinking" => Ok(Content::RedactedThinking),
        "ToolUse" => call(inner).map(Content::Call),
        "Image" => Ok(Content::Image),
        _ => return None,
    })
}

/// A call, of every generation: the old ones leave out what they did not have.
pub(super) fn call(value: Value<'_>) -> Result<Call<'_>, Error> {
    if value.kind() != Kind::Object {
        return Err(expected("an object", "a tool call", value));
    }
    Ok(Call {
        id: member(value, "id", Kind::String)?,
        name: member(value, "name", Kind::String)?,
        stored_input: value.get("input").filter(|input| !input.is_null()),
        raw_input: member(value, "raw_input", Kind::String)?,
        is_complete: member(value, "is_input_complete", Kind::Bool)?.and_then(|flag| flag.as_bool()).unwrap_or(true),
    })
}

/// A result, of every generation.
pub(super) fn result(value: Value<'_>) -> Result<ToolResult<'_>, Error> {
    if value.kind() != Kind::Object {
        return Err(expected("an object", "a tool result", value));
    }
    Ok(ToolResult {
        key: None,
        id: member(value, "tool_use_id", Kind::String)?,
        tool_name: member(value, "tool_name", Kind::String)?,
        is_error: member(value, "is_error", Kind::Bool)?.and_then(|flag| flag.as_bool()),
        content: value.get("content"),
        output: value.get("output"),
    })
}

pub(super) fn string<'d>(value: Value<'d>, place: &str) -> Result<Value<'d>, Error> {
    if value.kind() == Kind::String { Ok(value) } else { Err(expected("a string", place, value)) }
}

/// A member that is of this kind, absent, or null.
pub(super) fn member<'d>(object: Value<'d>, name: &str, kind: Kind) -> Result<Option<Value<'d>>, Error> {
    match object.get(name) {
        Some(value) if value.kind() == kind => Ok(Some(value)),
        Some(value) if !value.is_null() => Err(expected(kind.described(), name, value)),
        _ => Ok(None),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::json::Document;

    /// `kind text` of each item.
    fn told(message: &str) -> Vec<String> {
        let document = Document::parse(message.as_bytes().to_vec()).unwrap();
        let items = read(document.root(), None).items;
        items.iter().map(|item| format!("{}{}", item.place.pointer(7), say(&item.content))).collect()
    }

    pub fn say(content: &Content<'_>) -> String {
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
}
