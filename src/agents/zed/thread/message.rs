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
