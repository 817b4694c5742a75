//! One element of `messages[]`, of whatever generation.

use super::item::{Call, Content, Item, Place, ToolResult, described, expected};
use super::legacy;
use crate::error::Error;
use crate::json::{Key, Kind, Value};
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
    match message.only_member() {
        Some((key, inner)) if key == "Agent" => agent(message, inner),
        Some((key, inner)) if key == "User" => user(message, inner),
        Some((key, inner)) if key == "Compaction" => compaction(message, inner),
        _ => legacy::read(message, before).unwrap_or_else(|| unknown(message)),
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
    let [id, list] = inner.get_each(["id", "content"]);
    user.id = id;
    content(&mut user, ("User", inner), message, list, user_item);
    user
}

fn agent<'d>(message: Value<'d>, inner: Value<'d>) -> Message<'d> {
    let mut agent = Message::of(Speaker::Agent);
    let [list, results] = inner.get_each(["content", "tool_results"]);
    content(&mut agent, ("Agent", inner), message, list, agent_item);
    let Some(results) = results.filter(|results| !results.is_null()) else { return agent };
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
    let content = match inner.get_each(["Summary", "ProviderNative"]) {
        [Some(summary), None] if summary.kind() == Kind::String => Content::Compaction(Some(summary)),
        [Some(summary), None] => Content::Damaged(expected("a string", "Summary", summary)),
        [None, Some(_)] => Content::Compaction(None),
        _ => Content::Unknown(Error::shape(format!("unknown compaction: {}", described(inner)))),
    };
    compaction.push(Place::Whole, message, content);
    compaction
}

/// Reads the items of `content`, each by its own variant.
fn content<'d>(
    message: &mut Message<'d>,
    (variant, inner): (&'static str, Value<'d>),
    whole: Value<'d>,
    list: Option<Value<'d>>,
    item: impl Fn(Key<'d>, Value<'d>) -> Option<Result<Content<'d>, Error>>,
) {
    let list = match list {
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
        let content = raw.only_member().and_then(|(key, inner)| item(key, inner));
        let unknown = || Content::Unknown(Error::shape(format!("unknown {variant} content: {}", described(raw))));
        let content = content.map_or_else(unknown, |content| content.unwrap_or_else(Content::Damaged));
        message.push(Place::VariantElement(variant, "content", at), raw, content);
    }
}

fn user_item<'d>(variant: Key<'d>, inner: Value<'d>) -> Option<Result<Content<'d>, Error>> {
    Some(match &*variant.bytes() {
        b"Text" => string(inner, "Text").map(Content::Text),
        b"Mention" if inner.kind() != Kind::Object => Err(expected("an object", "Mention", inner)),
        b"Mention" => {
            let [content, uri] = inner.get_each(["content", "uri"]);
            let uri = uri.filter(|uri| !uri.is_null());
            typed(content, "content", Kind::String).map(|content| Content::Mention { uri, content })
        }
        b"Image" => Ok(Content::Image),
        _ => return None,
    })
}

fn agent_item<'d>(variant: Key<'d>, inner: Value<'d>) -> Option<Result<Content<'d>, Error>> {
    Some(match &*variant.bytes() {
        b"Text" => string(inner, "Text").map(Content::Text),
        b"Thinking" => match inner.get("text") {
            Some(text) => string(text, "Thinking.text").map(Content::Thinking),
            None => Err(expected("an object with text", "Thinking", inner)),
        },
        b"RedactedThinking" => Ok(Content::RedactedThinking),
        b"ToolUse" => call(inner).map(Content::Call),
        b"Image" => Ok(Content::Image),
        _ => return None,
    })
}

/// A call, of every generation: the old ones leave out what they did not have.
pub(super) fn call(value: Value<'_>) -> Result<Call<'_>, Error> {
    if value.kind() != Kind::Object {
        return Err(expected("an object", "a tool call", value));
    }
    let [id, name, input, raw_input, is_complete] =
        value.get_each(["id", "name", "input", "raw_input", "is_input_complete"]);
    Ok(Call {
        id: typed(id, "id", Kind::String)?,
        name: typed(name, "name", Kind::String)?,
        stored_input: input.filter(|input| !input.is_null()),
        raw_input: typed(raw_input, "raw_input", Kind::String)?,
        is_complete: flag(is_complete, "is_input_complete")?.unwrap_or(true),
    })
}

/// A result, of every generation.
pub(super) fn result(value: Value<'_>) -> Result<ToolResult<'_>, Error> {
    if value.kind() != Kind::Object {
        return Err(expected("an object", "a tool result", value));
    }
    let [id, tool_name, is_error, content, output] =
        value.get_each(["tool_use_id", "tool_name", "is_error", "content", "output"]);
    Ok(ToolResult {
        key: None,
        id: typed(id, "tool_use_id", Kind::String)?,
        tool_name: typed(tool_name, "tool_name", Kind::String)?,
        is_error: flag(is_error, "is_error")?,
        content,
        output,
    })
}

pub(super) fn string<'d>(value: Value<'d>, place: &str) -> Result<Value<'d>, Error> {
    if value.kind() == Kind::String { Ok(value) } else { Err(expected("a string", place, value)) }
}

/// A member that is of this kind, absent, or null.
fn typed<'d>(member: Option<Value<'d>>, name: &str, kind: Kind) -> Result<Option<Value<'d>>, Error> {
    match member {
        Some(value) if value.kind() == kind => Ok(Some(value)),
        Some(value) if !value.is_null() => Err(expected(kind.described(), name, value)),
        _ => Ok(None),
    }
}

fn flag(member: Option<Value<'_>>, name: &str) -> Result<Option<bool>, Error> {
    Ok(typed(member, name, Kind::Bool)?.and_then(|flag| flag.as_bool()))
}
