//! A call's arguments as a JSON object, wherever that object stands.

use crate::agents::zed::thread::item::Call;
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

    /// The arguments of a call.
    pub fn of_call(call: &Call<'d>) -> Self {
        Self::of(call.input())
    }

    /// The object or array.
    pub fn value(&self) -> Option<Value<'_>> {
        match self {
            Self::Stored(value) => Some(*value),
            Self::Decoded(document) => Some(document.root()),
            Self::Absent => None,
        }
    }

    /// Does it stand in a string, where no JSON pointer leads?
    pub fn is_decoded(&self) -> bool {
        matches!(self, Self::Decoded(_))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_stand_in_an_object_or_in_a_string() {
        let path = |stored: &str| {
            let document = Document::parse(stored.as_bytes().to_vec()).unwrap();
            Fields::of(Some(document.root())).text("path").map(|path| path.to_string())
        };
        for stored in [r#"{"path":"a"}"#, r#""{\"path\":\"a\"}""#, r#"" {\"path\":\"a\"}\n""#] {
            assert_eq!(path(stored).as_deref(), Some("a"), "{stored}");
        }
        for stored in [r#""ls -l""#, r#"{"path":7}"#, r#""{\"path\":""#, "{}", "null", "[1]"] {
            assert_eq!(path(stored), None, "{stored}");
        }
    }
}
