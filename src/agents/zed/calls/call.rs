//! One call as its message stores it.

use super::fields::Fields;
use super::tool;
use crate::json::{Document, Kind, Value};
use crate::text::Text;
use std::borrow::Cow;

/// A `ToolUse` item of 0.3.0, or an element of `tool_uses` of the older generations.
#[derive(Debug, Clone, Copy)]
pub struct Call<'d> {
    stored: Value<'d>,
    input: Option<Value<'d>>,
    wrapper: Wrapper,
}

/// What stands around the input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wrapper {
    None,
    /// `{"type":"json","value":…}`, since 1.12.
    Json,
    /// `{"type":"text","value":"…"}`: the arguments are no JSON.
    Text,
}

impl<'d> Call<'d> {
    /// Reads the object that holds `id`, `name` and `input`.
    pub fn read(stored: Value<'d>) -> Self {
        let (wrapper, input) = match stored.get("input") {
            Some(input) => unwrap(input).map_or((Wrapper::None, Some(input)), |(wrapper, inner)| (wrapper, Some(inner))),
            None => (Wrapper::None, None),
        };
        Self { stored, input: input.filter(|input| !input.is_null()), wrapper }
    }

    /// The call's id; it pairs call and result inside one message only.
    pub fn id(&self) -> Option<Value<'d>> {
        self.string("id")
    }

    /// The tool's name as the model saw it.
    pub fn name(&self) -> Option<Value<'d>> {
        self.string("name")
    }

    /// The tool's name in the spelling that the others are compared with.
    pub fn tool(&self) -> Option<Cow<'d, str>> {
        self.name()?.as_str().map(tool::snake_case)
    }

    fn string(&self, key: &str) -> Option<Value<'d>> {
        self.stored.get(key).filter(|value| value.kind() == Kind::String)
    }

    /// False where the stream was cut before the arguments were complete. Older generations store complete calls only.
    pub fn is_complete(&self) -> bool {
        self.stored.get("is_input_complete").and_then(|value| value.as_bool()).unwrap_or(true)
    }

    /// The arguments as compact JSON in stored order; the plain text of a tool that takes text; the broken text where
    /// the model's arguments did not parse. `None` where nothing is stored.
    pub fn arguments(&self) -> Option<Text> {
        match self.input {
            None => self.raw_input().filter(|raw| !is_blank(*raw))?.text(),
            Some(input) if self.wrapper == Wrapper::Text => input.text(),
            // A provider's empty arguments are stored as `{}` too: only text that is no JSON did not parse.
            Some(input) if is_empty_object(input) => match self.raw_input().filter(|raw| is_broken(*raw)) {
                Some(raw) => raw.text(),
                None => Some(input.compact()),
            },
            Some(input) => Some(input.compact()),
        }
    }

    fn raw_input(&self) -> Option<Value<'d>> {
        self.string("raw_input")
    }

    /// The arguments by name.
    pub fn fields(&self) -> Fields<'d> {
        Fields::of(self.input)
    }

    /// The names that lead from the call to its input, for a JSON pointer.
    pub fn input_steps(&self) -> &'static [&'static str] {
        if self.wrapper == Wrapper::None { &["input"] } else { &["input", "value"] }
    }
}

/// The inside of an input that is an object of exactly `type` and `value`, as Zed tells the wrapper from arguments.
fn unwrap(input: Value<'_>) -> Option<(Wrapper, Value<'_>)> {
    let (kind, value) = (input.get("type")?, input.get("value")?);
    if input.entries().count() != 2 {
        return None;
    }
    match (kind.is_str("json"), kind.is_str("text")) {
        (true, _) => Some((Wrapper::Json, value)),
        (_, true) if value.kind() == Kind::String => Some((Wrapper::Text, value)),
        _ => None,
    }
}

fn is_empty_object(value: Value<'_>) -> bool {
    value.kind() == Kind::Object && value.is_empty()
}

fn is_blank(raw: Value<'_>) -> bool {
    raw.as_str().is_none_or(|text| text.trim().is_empty())
}

fn is_broken(raw: Value<'_>) -> bool {
    !is_blank(raw) && raw.as_str().is_some_and(|text| Document::parse(text.into_owned().into_bytes()).is_err())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_of_every_era() {
        for (stored, arguments, is_complete) in [
            (r#"{"input":{"command":"ls"}}"#, Some(r#"{"command":"ls"}"#), true),
            (
                r#"{"input":{"type": "json", "value": {"path": "api/x", "start_line": "270"}}}"#,
                Some(r#"{"path":"api/x","start_line":"270"}"#),
                true,
            ),
            (
                r#"{"input":{"type":"json","value":{}},"raw_input":"{\"command\":\"ls","is_input_complete":false}"#,
                Some(r#"{"command":"ls"#),
                false,
            ),
            (r#"{"input":{},"raw_input":"{}","is_input_complete":true}"#, Some("{}"), true),
            (r#"{"input":{},"raw_input":""}"#, Some("{}"), true),
            (r#"{"input":{},"raw_input":" "}"#, Some("{}"), true),
            (r#"{"input":{},"raw_input":"not json"}"#, Some("not json"), true),
            // A cut stream keeps what was repaired.
            (
                r#"{"input":{"path":"a"},"raw_input":"{\"path\":\"a","is_input_complete":false}"#,
                Some(r#"{"path":"a"}"#),
                false,
            ),
            (r#"{"input":{"type":"text","value":"*** Begin\n"}}"#, Some("*** Begin\n"), true),
            (r#"{"input":{"type":"text","value":7}}"#, Some(r#"{"type":"text","value":7}"#), true),
            (r#"{"input":{"type":"xml","value":"a"}}"#, Some(r#"{"type":"xml","value":"a"}"#), true),
            (r#"{"input":{"type":"json","value":1,"x":2}}"#, Some(r#"{"type":"json","value":1,"x":2}"#), true),
            (r#"{"input":{"type":"json","type":"json","value":[1, 2]}}"#, Some("[1,2]"), true),
            (r#"{"input":"{\"a\":1}"}"#, Some(r#""{\"a\":1}""#), true),
            (r#"{"input":null,"raw_input":"ls"}"#, Some("ls"), true),
            (r#"{"input":{"type":"json","value":null}}"#, None, true),
            (r#"{"id":"t1","name":"now"}"#, None, true),
            ("42", None, true),
        ] {
            let document = Document::parse(stored.as_bytes().to_vec()).unwrap();
            let call = Call::read(document.root());
            assert_eq!(call.arguments().as_ref().map(Text::to_str).as_deref(), arguments, "{stored}");
            assert_eq!(call.is_complete(), is_complete, "{stored}");
        }
    }

    #[test]
    fn fields_stand_in_an_object_or_in_a_string() {
        for stored in [
            r#"{"input":{"path":"a"}}"#,
            r#"{"input":{"type":"json","value":{"path":"a"}}}"#,
            r#"{"input":"{\"path\":\"a\"}"}"#,
            r#"{"input":{"type":"json","value":"{\"path\":\"a\"}"}}"#,
            r#"{"input":{"type":"text","value":" {\"path\":\"a\"}"}}"#,
        ] {
            let document = Document::parse(stored.as_bytes().to_vec()).unwrap();
            assert_eq!(Call::read(document.root()).fields().text("path").unwrap(), "a", "{stored}");
        }
        for stored in [r#"{"input":"ls -l"}"#, r#"{"input":{"path":7}}"#, r#"{"input":"{\"path\":"}"#, "{}"] {
            let document = Document::parse(stored.as_bytes().to_vec()).unwrap();
            assert_eq!(Call::read(document.root()).fields().text("path"), None, "{stored}");
        }
    }
}
