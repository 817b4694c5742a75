//! A call and a result as the parts of a message tell them.

use super::Arguments;
use crate::json::{Kind, Value};
use crate::text::Text;

/// A part that calls a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct CallPart {
    /// The id that its result repeats.
    pub id: Option<Text>,
    /// The tool's name as the model saw it.
    pub name: Option<Text>,
    /// What the model sent.
    pub arguments: Arguments,
    /// The state and the result that only the parts of one week in March 2025 hold themselves.
    pub own: Option<OwnResult>,
}

/// What a `function` part says about its own end.
#[derive(Debug, Clone, PartialEq)]
pub struct OwnResult {
    /// `error`, `done`, …
    pub status: Option<Text>,
    /// A string's text, or another value as compact JSON.
    pub result: Option<Text>,
}

impl CallPart {
    /// Reads a part of type `tool_call` or `function`; `None` for every other.
    pub fn of(part: Value<'_>) -> Option<Self> {
        let kind = part.get("type")?;
        if kind.is_str("tool_call") {
            let call = part.get("tool_call")?;
            return Some(Self {
                id: string(call, "id"),
                name: string(call, "name"),
                arguments: Arguments::of(call.get("arguments")),
                own: None,
            });
        }
        if !kind.is_str("function") {
            return None;
        }
        let function = part.get("function")?;
        let own = OwnResult { status: string(part, "status"), result: part.get("result").and_then(text) };
        Some(Self {
            id: string(part, "id"),
            name: string(function, "name"),
            arguments: Arguments::of(function.get("arguments")),
            own: Some(own),
        })
    }
}

/// A part that holds a tool's result.
#[derive(Debug, Clone, PartialEq)]
pub struct ResultPart {
    /// The id of the call.
    pub id: Option<Text>,
    /// As the model read it.
    pub content: Option<Text>,
}

impl ResultPart {
    /// Reads a part of type `tool_result`; `None` for every other.
    pub fn of(part: Value<'_>) -> Option<Self> {
        if !part.get("type")?.is_str("tool_result") {
            return None;
        }
        let result = part.get("tool_result")?;
        Some(Self { id: string(result, "id"), content: result.get("content").and_then(text) })
    }
}

/// A member that is a string.
pub fn string(object: Value<'_>, key: &str) -> Option<Text> {
    object.get(key)?.text()
}

/// A string's text, another value as compact JSON; `None` for null.
pub fn text(value: Value<'_>) -> Option<Text> {
    match value.kind() {
        Kind::Null => None,
        Kind::String => value.text(),
        _ => Some(value.compact()),
    }
}
