//! The arguments of a call: JSON in a string, which the model may have broken.

use crate::json::{Document, Kind, Value};
use crate::text::Text;
use std::borrow::Cow;

/// What the model sent with a call.
#[derive(Debug, Clone, Default)]
pub struct Arguments {
    parsed: Option<Document>,
    /// Compact JSON in stored order, or the broken text. `None` where the call has no arguments at all.
    pub text: Option<Text>,
    /// Did they parse?
    pub is_complete: Option<bool>,
}

impl Arguments {
    /// Reads the value under `arguments`: JSON in a string, or (from other writers) the value itself.
    ///
    /// A model that sends nothing leaves an empty string, which the program reads as `{}`.
    pub fn of(value: Option<Value<'_>>) -> Self {
        let Some(value) = value.filter(|value| !value.is_null()) else { return Self::default() };
        let json = match value.as_str() {
            Some(text) if text.trim().is_empty() => Cow::Borrowed("{}"),
            Some(text) => text,
            None => Cow::Borrowed(value.raw()),
        };
        match Document::parse(json.into_owned().into_bytes()) {
            Ok(parsed) => Self { text: Some(parsed.root().compact()), is_complete: Some(true), parsed: Some(parsed) },
            Err(_) => Self { text: value.text(), is_complete: Some(false), parsed: None },
        }
    }

    /// An argument that is a string.
    pub fn string(&self, name: &str) -> Option<Text> {
        let root = self.parsed.as_ref()?.root();
        if root.kind() == Kind::Object { root.get(name)?.text() } else { None }
    }
}

impl PartialEq for Arguments {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text && self.is_complete == other.is_complete
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_json_in_a_string() {
        for (stored, text, complete, command) in [
            (r#""{\"command\": \"ls\",  \"n\":1.0}""#, Some(r#"{"command":"ls","n":1.0}"#), Some(true), Some("ls")),
            (r#"{"command": "ls"}"#, Some(r#"{"command":"ls"}"#), Some(true), Some("ls")),
            (r#""{\"command\":\"l""#, Some(r#"{"command":"l"#), Some(false), None),
            (r#""""#, Some("{}"), Some(true), None),
            (r#""[1]""#, Some("[1]"), Some(true), None),
            (r#""\"{\"""#, Some(r#""{""#), Some(true), None),
            ("null", None, None, None),
        ] {
            let document = Document::parse(stored.as_bytes().to_vec()).unwrap();
            let arguments = Arguments::of(Some(document.root()));
            assert_eq!(arguments.text.as_ref().map(ToString::to_string).as_deref(), text, "{stored}");
            assert_eq!(arguments.is_complete, complete, "{stored}");
            assert_eq!(arguments.string("command").map(|text| text.to_string()).as_deref(), command, "{stored}");
        }
        assert_eq!(Arguments::of(None), Arguments::default());
    }
}
