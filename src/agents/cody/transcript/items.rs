//! The parts of a message in the order in which they are read: content, steps, sub-messages, search, error.

use super::{Role, Said, Turn};
use crate::error::Error;
use crate::json::{Kind, Value};
use crate::model::{MessageKind, TurnType};
use crate::table::{Pointer, Step};
use crate::text::Text;

/// One part of a message.
#[derive(Debug, Clone)]
pub struct Item<'t> {
    /// What it is.
    pub kind: MessageKind,
    /// Whose turn it is.
    pub turn: TurnType,
    /// Does it stand in the user's turn without having been typed by the user?
    pub is_synthetic: bool,
    /// As stored.
    pub value: Value<'t>,
    /// What a person would read.
    pub text: Option<Words<'t>>,
    /// The tool's name, the step's title.
    pub tool_name: Option<Value<'t>>,
    /// The call's id, the step's id.
    pub tool_use_id: Option<Value<'t>>,
    /// A context file's URI.
    pub uri: Option<Value<'t>>,
    /// Where it stands in the message.
    pub place: Place,
    /// Why it does not read.
    pub error: Option<Error>,
}

/// What a person would read.
#[derive(Debug, Clone, Copy)]
pub enum Words<'t> {
    /// A string, unescaped; another value as compact JSON.
    Of(Value<'t>),
    /// A picture.
    Image,
}

impl Words<'_> {
    /// As a cell.
    pub fn text(self) -> Option<Text> {
        match self {
            Self::Of(value) if value.is_null() => None,
            Self::Of(value) => Some(value.text().unwrap_or_else(|| value.compact())),
            Self::Image => Some(Text::Static("[image]")),
        }
    }
}

/// Where in a message a part stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// It is the message.
    Message,
    /// A field of the message.
    Field(&'static str),
    /// An element of one of its lists.
    Element(&'static str, usize),
    /// A field of such an element.
    Inside(&'static str, usize, &'static str),
}

impl Place {
    /// As a pointer below that of the message.
    pub fn pointer(self, message: &Pointer) -> Pointer {
        let steps = match self {
            Self::Message => return message.clone(),
            Self::Field(field) => [Some(Step::from(field)), None, None],
            Self::Element(list, position) => [Some(list.into()), Some(position.into()), None],
            Self::Inside(list, position, field) => [Some(list.into()), Some(position.into()), Some(field.into())],
        };
        let mut pointer = message.clone();
        pointer.extend(steps.into_iter().flatten());
        pointer
    }
}

/// The parts of a message.
///
/// The text is `content[]` where that has a text part, else `text`: agentic answers hold the same words in both.
pub fn items<'t>(said: &Said<'t>) -> Vec<Item<'t>> {
    let message = said.value;
    let mut out = Vec::new();
    if message.kind() != Kind::Object {
        out.push(odd(message, Place::Message, "a message"));
        return out;
    }
    let [content, text, shown_text, processes, sub_messages, found, failure] =
        message.get_each(["content", "text", "displayText", "processes", "subMessages", "search", "error"]);
    let content = content.filter(|content| !content.is_null());
    let texts = [("text", text), ("displayText", shown_text)];
    let parts = || content.into_iter().flat_map(|content| content.items());
    let has_parts = content.is_some_and(|content| !content.is_empty());
    if !has_parts {
        out.extend(plain_text(said, texts, false));
    }
    match content.map(|content| content.kind()) {
        None | Some(Kind::Array) => {}
        // Importers may write one text where a list belongs.
        Some(Kind::String) if out.is_empty() => out.extend(content.map(|text| spoken(said, text, Place::Field("content")))),
        Some(_) => out.extend(content.map(|content| odd(content, Place::Field("content"), "the content"))),
    }
    let is_carrier = said.role == Role::Human && parts().any(|part| has_type(part, "tool_result"));
    out.extend(parts().enumerate().map(|(position, part)| content_part(said, part, Place::Element("content", position))));
    if is_carrier {
        out.iter_mut().for_each(|item| item.is_synthetic = true);
    }
    out.extend(elements(processes).map(|(position, value)| step(value, Place::Element("processes", position))));
    if has_parts && !parts().any(|part| has_type(part, "text")) {
        // Behind the parts and steps, whose positions are those of the calls in other tables.
        out.extend(plain_text(said, texts, true).map(|text| Item { is_synthetic: is_carrier, ..text }));
    }
    for (position, value) in elements(sub_messages) {
        sub_message(said, value, position, &mut out);
    }
    out.extend(found.filter(|found| !found.is_null()).map(search));
    out.extend(failure.filter(|failure| !failure.is_null()).map(error));
    out
}

/// Does the program, in the user's place, bring tools' results?
pub fn is_carrier(message: Value<'_>) -> bool {
    list(message, "content").any(|(_, part)| has_type(part, "tool_result"))
}

/// The calls of a message with their names, by which the results in the next message are known.
pub fn calls<'t>(turn: &'t Turn) -> impl Iterator<Item = (Value<'t>, Value<'t>)> {
    let parts = turn.messages().flat_map(|said| list(said.value, "content").map(|(_, part)| part).collect::<Vec<_>>());
    parts.filter_map(|part| {
        let call = part.get("tool_call")?;
        Some((call.get("id")?, call.get("name")?))
    })
}

fn has_type(part: Value<'_>, name: &str) -> bool {
    part.get("type").is_some_and(|kind| kind.is_str(name))
}

fn list<'t>(message: Value<'t>, key: &'static str) -> impl Iterator<Item = (usize, Value<'t>)> {
    elements(message.get(key))
}

fn elements<'t>(list: Option<Value<'t>>) -> impl Iterator<Item = (usize, Value<'t>)> {
    list.into_iter().flat_map(|list| list.items()).enumerate()
}

fn item<'t>(kind: MessageKind, turn: TurnType, value: Value<'t>, place: Place) -> Item<'t> {
    Item {
        kind,
        turn,
        is_synthetic: false,
        value,
        text: None,
        tool_name: None,
        tool_use_id: None,
        uri: None,
        place,
        error: None,
    }
}

/// Something of no known kind, or of another shape than its kind asks for.
fn odd<'t>(value: Value<'t>, place: Place, what: &str) -> Item<'t> {
    let error = Error::shape(format!("{what} is {}", value.kind().described()));
    Item { error: Some(error), ..item(MessageKind::Unknown, TurnType::System, value, place) }
}

fn spoken<'t>(said: &Said<'t>, text: Value<'t>, place: Place) -> Item<'t> {
    let turn = match said.role {
        Role::Human => TurnType::User,
        Role::Assistant => TurnType::Assistant,
        Role::System => TurnType::System,
    };
    Item { text: Some(Words::Of(text)), ..item(MessageKind::Text, turn, text, place) }
}

/// The `text` of a message; its rendered form where that is all there is. Beside other content an empty one says nothing.
fn plain_text<'t>(
    said: &Said<'t>,
    texts: [(&'static str, Option<Value<'t>>); 2],
    has_content: bool,
) -> Option<Item<'t>> {
    let (key, text) = texts.into_iter().find_map(|(key, text)| Some((key, text.filter(|text| !text.is_null())?)))?;
    match text.kind() {
        Kind::String if has_content && text.is_str("") => None,
        Kind::String => Some(spoken(said, text, Place::Field(key))),
        _ => Some(odd(text, Place::Field(key), "the text")),
    }
}

fn content_part<'t>(said: &Said<'t>, part: Value<'t>, place: Place) -> Item<'t> {
    let Some(kind) = part.get("type").and_then(|kind| kind.as_str()) else {
        return match part.kind() {
            Kind::Object => Item { error: Some(Error::shape("a part without a type")), ..odd(part, place, "") },
            _ => odd(part, place, "a part"),
        };
    };
    let inner = |key: &str| part.get(key).filter(|inner| inner.kind() == Kind::Object);
    match (&*kind, inner(&kind)) {
        ("text", _) => {
            let spoken = part.get("text").map(|text| spoken(said, text, place));
            Item { value: part, ..spoken.unwrap_or_else(|| odd(part, place, "a text part")) }
        }
        ("tool_call", Some(call)) => Item { value: part, ..tool_use(call, call, call.get("id"), place) },
        ("function", Some(call)) => tool_use(part, call, part.get("id"), place),
        ("tool_result", Some(result)) => Item {
            text: result.get("content").map(Words::Of),
            tool_use_id: result.get("id"),
            ..item(MessageKind::ToolResult, TurnType::ToolResult, part, place)
        },
        ("context_file" | "context_repo", _) => Item {
            text: part.get("content").map(Words::Of),
            uri: part.get("uri"),
            is_synthetic: said.role == Role::Human,
            ..item(MessageKind::Context, spoken(said, part, place).turn, part, place)
        },
        ("image_url", _) => Item {
            text: Some(Words::Image),
            ..item(MessageKind::Media, spoken(said, part, place).turn, part, place)
        },
        ("tool_call" | "tool_result" | "function", None) => {
            Item { error: Some(Error::shape(format!("a {kind} part without its {kind}"))), ..odd(part, place, "") }
        }
        _ => Item { error: Some(Error::shape("a part of an unknown type")), ..odd(part, place, "") },
    }
}

fn tool_use<'t>(value: Value<'t>, call: Value<'t>, id: Option<Value<'t>>, place: Place) -> Item<'t> {
    Item {
        text: call.get("arguments").map(Words::Of),
        tool_name: call.get("name"),
        tool_use_id: id,
        ..item(MessageKind::ToolUse, TurnType::ToolUse, value, place)
    }
}

fn step(value: Value<'_>, place: Place) -> Item<'_> {
    if value.kind() != Kind::Object {
        return odd(value, place, "a step");
    }
    let (kind, turn) = match () {
        () if has_type(value, "tool") => (MessageKind::Step, TurnType::ToolUse),
        () if has_type(value, "confirmation") => (MessageKind::Confirmation, TurnType::System),
        () => (MessageKind::Step, TurnType::System),
    };
    let [content, title, id] = value.get_each(["content", "title", "id"]);
    Item {
        text: content.map(Words::Of),
        tool_name: title,
        tool_use_id: id,
        ..item(kind, turn, value, place)
    }
}

/// A text, a step, or both, of the experimental tool runs of early 2025.
fn sub_message<'t>(said: &Said<'t>, value: Value<'t>, position: usize, out: &mut Vec<Item<'t>>) {
    let place = |key| Place::Inside("subMessages", position, key);
    let [text, inner] = value.get_each(["text", "step"]).map(|member| member.filter(|member| !member.is_null()));
    out.extend(text.map(|text| spoken(said, text, place("text"))));
    out.extend(inner.map(|inner| step(inner, place("step"))));
    if text.is_none() && inner.is_none() {
        out.push(odd(value, Place::Element("subMessages", position), "a sub-message without text and step"));
    }
}

fn search(value: Value<'_>) -> Item<'_> {
    let text = value.get("query").map(Words::Of);
    Item { text, ..item(MessageKind::Search, TurnType::Assistant, value, Place::Field("search")) }
}

/// An error was a plain string for some weeks of 2023.
fn error(value: Value<'_>) -> Item<'_> {
    let text = match value.kind() {
        Kind::Object => value.get("message").or_else(|| value.get("name")).map(Words::Of),
        _ => Some(Words::Of(value)),
    };
    Item { text, ..item(MessageKind::Error, TurnType::System, value, Place::Field("error")) }
}

#[cfg(test)]
mod tests;
