//! The items of a message, borrowed from its document, in the words of every generation.

use crate::error::Error;
use crate::json::{Document, Key, Kind, Value};
use crate::table::{Form, Pointer};
use crate::text::Text;
use std::sync::Arc;

/// One item of a message.
#[derive(Debug, Clone)]
pub struct Item<'d> {
    /// Where it stands, below the message.
    pub place: Place<'d>,
    /// As stored.
    pub raw: Value<'d>,
    /// What it is.
    pub content: Content<'d>,
}

/// Where an item stands in its message.
#[derive(Debug, Clone, Copy)]
pub enum Place<'d> {
    /// The message itself: `"Resume"`, and what is of no known shape.
    Whole,
    /// A member of the message: `Compaction`; `text` and `context` of old messages.
    Member(&'static str),
    /// An element of an array of the message, which old generations have: `/segments/0`.
    Element(&'static str, usize),
    /// A member of a variant: `/User/content` that is no array.
    VariantMember(&'static str, &'static str),
    /// An element of a variant's array: `/Agent/content/3`.
    VariantElement(&'static str, &'static str, usize),
    /// A value under a key of a variant's object, given with its key: `/Agent/tool_results/call_1`.
    VariantEntry(&'static str, &'static str, Key<'d>),
}

impl Place<'_> {
    /// The pointer inside a thread document, for message `index`.
    pub fn pointer(&self, index: usize) -> Pointer {
        const MESSAGE: Form = Form::NONE.name().index();
        const MEMBER: Form = MESSAGE.name();
        const INNER: Form = MEMBER.name();
        let at = |form, names, number| Pointer::of(form, names, [index, number], None);
        match *self {
            Self::Whole => at(MESSAGE, ["messages", "", ""], 0),
            Self::Member(name) => at(MEMBER, ["messages", name, ""], 0),
            Self::Element(name, number) => at(const { MEMBER.index() }, ["messages", name, ""], number),
            Self::VariantMember(variant, name) => at(INNER, ["messages", variant, name], 0),
            Self::VariantElement(variant, name, number) => {
                at(const { INNER.index() }, ["messages", variant, name], number)
            }
            Self::VariantEntry(variant, name, key) => {
                let key = Some(Arc::from(key.as_str()));
                Pointer::of(const { INNER.key() }, ["messages", variant, name], [index, 0], key)
            }
        }
    }
}

/// What an item is.
#[derive(Debug, Clone)]
pub enum Content<'d> {
    /// Text of whoever speaks; a string.
    Text(Value<'d>),
    /// A reference with the text that was inlined for the model.
    Mention {
        /// The enum `MentionUri`; see [`super::mention`].
        uri: Option<Value<'d>>,
        /// A string; `""` for a bare link.
        content: Option<Value<'d>>,
    },
    /// A picture; its bytes are in `raw`.
    Image,
    /// Reasoning in clear; a string.
    Thinking(Value<'d>),
    /// Reasoning that the provider encrypted, a string or an array of bytes. Opaque.
    RedactedThinking,
    /// A tool call.
    Call(Call<'d>),
    /// A tool's result.
    Result(ToolResult<'d>),
    /// The user pressed continue.
    Resume,
    /// A summary that replaces what came before when prompting; `None` where only the provider can read it.
    Compaction(Option<Value<'d>>),
    /// Attached files as they were rendered for the model; a string.
    Context(Value<'d>),
    /// Of no known variant; the words say which was found.
    Unknown(Error),
    /// Of a known variant, with a value of the wrong type inside.
    Damaged(Error),
}

/// A tool call.
#[derive(Debug, Clone, Copy)]
pub struct Call<'d> {
    /// The provider's id. It repeats in other messages.
    pub id: Option<Value<'d>>,
    /// The name that the model saw.
    pub name: Option<Value<'d>>,
    /// The arguments as stored, in whatever wrapper the era used.
    pub stored_input: Option<Value<'d>>,
    /// The arguments as the model streamed them; a string.
    pub raw_input: Option<Value<'d>>,
    /// False where the stream was cut. Old generations do not say, and stored whole calls only.
    pub is_complete: bool,
}

impl<'d> Call<'d> {
    /// The arguments without the wrapper of v1.12 (`{"type":"json","value":…}`), which is one only where an object has
    /// exactly these two keys. `{"type":"text","value":"…"}` gives the string.
    pub fn input(&self) -> Option<Value<'d>> {
        let stored = self.stored_input?;
        if stored.len() != 2 {
            return Some(stored);
        }
        match stored.get_each(["type", "value"]) {
            [Some(tag), Some(value)] if tag.is_str("json") => Some(value),
            [Some(tag), Some(value)] if tag.is_str("text") && value.kind() == Kind::String => Some(value),
            _ => Some(stored),
        }
    }

    /// The argument text: compact JSON in stored key order; the string of a text wrapper; what was streamed, where that
    /// did not parse and left an empty object.
    pub fn arguments(&self) -> Option<Text> {
        let Some(input) = self.input() else { return self.raw_input.and_then(|raw| raw.text()) };
        let is_text = |stored: Value<'_>| stored.get("type").is_some_and(|tag| tag.is_str("text"));
        if input.kind() == Kind::String && self.stored_input.is_some_and(is_text) {
            return input.text();
        }
        let is_empty = input.kind() == Kind::Object && input.is_empty();
        if let Some(broken) = self.raw_input.filter(|raw| is_empty && is_broken(*raw)) {
            return broken.text();
        }
        Some(input.compact())
    }
}

/// Is this text that is no JSON? Blanks are what a provider sends for no arguments.
fn is_broken(raw: Value<'_>) -> bool {
    raw.as_str().is_some_and(|text| !text.trim().is_empty() && Document::parse(text.into_owned().into_bytes()).is_err())
}

/// A tool's result.
#[derive(Debug, Clone, Copy)]
pub struct ToolResult<'d> {
    /// The id of its call, as the key under which it stands since 0.3.0.
    pub key: Option<Key<'d>>,
    /// The id of its call, as the result repeats it.
    pub id: Option<Value<'d>>,
    /// The tool's name: its own, or that of its call.
    pub tool_name: Option<Value<'d>>,
    /// Whether the store marks it as an error.
    pub is_error: Option<bool>,
    /// What the model read: a string, an object, or an array of them.
    pub content: Option<Value<'d>>,
    /// The tool's structured output.
    pub output: Option<Value<'d>>,
}

impl<'d> ToolResult<'d> {
    /// The id of its call.
    pub fn id_text(&self) -> Option<Text> {
        self.key.map(|key| key.text()).or_else(|| self.id.and_then(|id| id.text()))
    }

    /// The texts of the content joined by newlines, images as `[image]`; `''` for an empty list. A part of no known
    /// shape stands in it as JSON, and the error says so.
    pub fn text(&self) -> (Option<Text>, Option<Error>) {
        let Some(content) = self.content else { return (None, None) };
        let mut error = None;
        let mut part = |value: Value<'d>| {
            result_part(value).unwrap_or_else(|found| {
                error.get_or_insert(found);
                value.compact()
            })
        };
        let text = match content.kind() {
            Kind::Null => return (None, None),
            Kind::Array => {
                let mut items = content.items();
                match (items.next(), items.next()) {
                    (None, _) => Text::Static(""),
                    (Some(only), None) => part(only),
                    _ => Text::lines(content.items().map(part).collect()),
                }
            }
            _ => part(content),
        };
        (Some(text), error)
    }
}

/// One part of a result's content, in the form of any era.
fn result_part(value: Value<'_>) -> Result<Text, Error> {
    const IMAGE: Text = Text::Static("[image]");
    if let Some(text) = value.text() {
        return Ok(text);
    }
    if value.kind() == Kind::Object {
        let [tag, text, source] = value.get_each(["type", "text", "source"]);
        if let Some(text) = text.filter(|_| tag.is_some_and(|tag| tag.is_str("text"))) {
            return text.text().ok_or_else(|| expected("a string", "text", text));
        }
        if source.is_some() {
            return Ok(IMAGE);
        }
        if let Some((key, inner)) = value.only_member() {
            let name = key.bytes();
            if name.eq_ignore_ascii_case(b"text") {
                return inner.text().ok_or_else(|| expected("a string", "Text", inner));
            }
            if name.eq_ignore_ascii_case(b"image") {
                return Ok(IMAGE);
            }
        }
    }
    Err(Error::shape(format!("unknown part of a tool result: {}", described(value))))
}

/// `expected a string in Text, found 42`
pub fn expected(what: &str, place: &str, found: Value<'_>) -> Error {
    Error::shape(format!("expected {what} in {place}, found {}", described(found)))
}

/// A value in a few words: an object by its keys, a short leaf as it is spelled.
pub fn described(value: Value<'_>) -> String {
    const SHORT: usize = 40;
    match value.kind() {
        Kind::Object => {
            let mut entries = value.entries();
            let names: Vec<String> = entries.by_ref().take(3).map(|(key, _)| short(&key.as_str(), SHORT)).collect();
            let more = if entries.next().is_some() { ", …" } else { "" };
            if names.is_empty() { "an empty object".into() } else { format!("an object of {}{more}", names.join(", ")) }
        }
        Kind::Array => "an array".into(),
        _ => short(value.raw(), SHORT),
    }
}

fn short(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Document {
        Document::parse(text.as_bytes().to_vec()).unwrap()
    }

    fn call(document: &Document) -> Call<'_> {
        let root = document.root();
        Call {
            id: None,
            name: None,
            stored_input: root.get("input"),
            raw_input: root.get("raw_input"),
            is_complete: true,
        }
    }

    /// Z07: the arguments are the same text whatever wrapper the era used; what did not parse is the raw text.
    #[test]
    fn arguments_of_every_era() {
        for (stored, want) in [
            (r#"{"input":{"command":"ls"}}"#, r#"{"command":"ls"}"#),
            (
                r#"{"input":{"type":"json","value":{ "path": "api/x", "start_line":"270"}}}"#,
                r#"{"path":"api/x","start_line":"270"}"#,
            ),
            (r#"{"input":{"type":"json","value":{}},"raw_input":"{\"command\":\"ls"}"#, r#"{"command":"ls"#),
            (r#"{"input":{},"raw_input":"{}"}"#, "{}"),
            (r#"{"input":{},"raw_input":""}"#, "{}"),
            (r#"{"input":{},"raw_input":" "}"#, "{}"),
            (r#"{"input":{"type":"text","value":"just \"words\""}}"#, r#"just "words""#),
            (r#"{"input":{"type":"json","value":"word"}}"#, r#""word""#),
            (r#"{"input":{"type":"json","value":1,"more":2}}"#, r#"{"type":"json","value":1,"more":2}"#),
            (r#"{"input":{"type":"yaml","value":1}}"#, r#"{"type":"yaml","value":1}"#),
            (r#"{"input":"word"}"#, r#""word""#),
            (r#"{"input":[1, 2]}"#, "[1,2]"),
            (r#"{"raw_input":"cut"}"#, "cut"),
        ] {
            let document = parsed(stored);
            assert_eq!(call(&document).arguments().unwrap(), want, "{stored}");
        }
    }

    /// Z08: a result's text is the same whether its content is a string, an object or a list.
    #[test]
    fn result_texts_of_every_era() {
        for (content, want) in [
            (r#""plain string""#, "plain string"),
            (r#"{"Text":"object text"}"#, "object text"),
            (r#"{"text":"lower case"}"#, "lower case"),
            (r#"{"type":"text","text":"tagged"}"#, "tagged"),
            (r#"[{"Text":"array text"}]"#, "array text"),
            (r#"[{"Text":"see"},{"Image":{"source":"AAAA"}},{"Text":"end"}]"#, "see\n[image]\nend"),
            (r#"{"source":"AAAA","size":null}"#, "[image]"),
            ("[]", ""),
        ] {
            let document = parsed(content);
            let result = ToolResult {
                key: None,
                id: None,
                tool_name: None,
                is_error: None,
                content: Some(document.root()),
                output: None,
            };
            assert_eq!(result.text(), (Some(Text::from(want)), None), "{content}");
        }
    }

    #[test]
    fn a_part_of_no_known_shape_is_kept_and_told() {
        let document = parsed(r#"[{"Text":"a"},{"Audio":{"x": 1}}]"#);
        let content = Some(document.root());
        let (text, error) =
            ToolResult { key: None, id: None, tool_name: None, is_error: None, content, output: None }.text();
        assert_eq!(text.unwrap(), "a\n{\"Audio\":{\"x\":1}}");
        assert_eq!(error.unwrap().to_string(), "shape: unknown part of a tool result: an object of Audio");
    }
}
