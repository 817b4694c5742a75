//! One result as its message stores it.

use super::content::content_text;
use super::tool;
use crate::json::{Key, Kind, Value};
use crate::text::Text;
use std::borrow::Cow;

/// An entry of `tool_results`: of the object that 0.3.0 keeps by call id, or of the older generations' list.
#[derive(Debug, Clone, Copy)]
pub struct CallResult<'d> {
    stored: Value<'d>,
    key: Option<Key<'d>>,
}

impl<'d> CallResult<'d> {
    /// Reads the object that holds `content`; `key` is its name where it has one.
    pub fn read(key: Option<Key<'d>>, stored: Value<'d>) -> Self {
        Self { stored, key }
    }

    /// The id of the call that it answers.
    pub fn id(&self) -> Option<Cow<'d, str>> {
        self.key.map(|key| key.as_str()).or_else(|| self.string("tool_use_id")?.as_str())
    }

    /// The id as a cell.
    pub fn id_text(&self) -> Option<Text> {
        self.key.map(|key| key.text()).or_else(|| self.string("tool_use_id")?.text())
    }

    /// The tool's name; the older generations keep it with the call only.
    pub fn name(&self) -> Option<Value<'d>> {
        self.string("tool_name")
    }

    /// The tool's name in the spelling that the others are compared with.
    pub fn tool(&self) -> Option<Cow<'d, str>> {
        self.name()?.as_str().map(tool::snake_case)
    }

    fn string(&self, key: &str) -> Option<Value<'d>> {
        self.stored.get(key).filter(|value| value.kind() == Kind::String)
    }

    /// Whether the store marks it as an error.
    pub fn is_error(&self) -> Option<bool> {
        self.stored.get("is_error")?.as_bool()
    }

    /// What the model read.
    pub fn text(&self) -> Option<Text> {
        content_text(self.stored.get("content")?)
    }

    /// The tool's structured output.
    pub fn output(&self) -> Option<Value<'d>> {
        self.stored.get("output").filter(|output| !output.is_null())
    }

    /// The error in words, where the output tells it apart from the content: a string, `{"error":…}`, or content items.
    /// The content of an edit tool's error has a sentence behind it.
    pub fn error(&self) -> Option<Text> {
        let output = self.output()?;
        match output.get("error") {
            Some(error) => error.text(),
            None => content_text(output),
        }
    }
}
