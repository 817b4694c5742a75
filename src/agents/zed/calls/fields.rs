//! A call's arguments as a JSON object, wherever that object stands.

use crate::json::{Document, Kind, Value};
use crate::text::Text;

/// An object or array of a call's input: stored as such, or as JSON inside a string, which models send too.
#[derive(Debug)]
pub enum Fields<'d> {
    /// Part of the record.
    Stored(Value<'d>),
    /// Decoded from a string of the record.
    Decoded(Document),
    /// Neither.
    Absent,
}

impl<'d> Fields<'d> {
    /// The value; where it is a string that holds an object or an array as JSON, that.
    pub fn of(value: Option<Value<'d>>) -> Self {
        match value {
            None => Self::Absent,
            Some(value) if value.kind() == Kind::String => value.as_str().map_or(Self::Absent, |text| decoded(&text)),
            Some(value) => Self::Stored(value),
        }
    }

    /// The object or array.
    pub fn value(&self) -> Option<Value<'_>> {
        match self {
            Self::Stored(value) => Some(*value),
            Self::Decoded(document) => Some(document.root()),
            Self::Absent => None,
        }
    }

    /// A member.
    pub fn get(&self, key: &str) -> Option<Value<'_>> {
        self.value()?.get(key)
    }

    /// A member that is a string, as a cell.
    pub fn text(&self, key: &str) -> Option<Text> {
        self.get(key)?.text()
    }
}

fn decoded(text: &str) -> Fields<'static> {
    if !text.trim_start().starts_with(['{', '[']) {
        return Fields::Absent;
    }
    Document::parse(text.as_bytes().to_vec()).map_or(Fields::Absent, Fields::Decoded)
}
