//! A cell's text, decoded only when somebody asks for it.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use crate::json::{Scratch, Span};

/// Text that a row carries without having built it. Cheap to clone.
#[derive(Clone, Debug)]
pub enum Text {
    /// Known when the program was written.
    Static(&'static str),
    /// Built, and shared.
    Shared(Arc<str>),
    /// A JSON string; its escapes are undone on reading, a lone surrogate is U+FFFD, NUL is kept.
    Unescaped(Span),
    /// A JSON value without the white space between its tokens; numbers and escapes as spelled.
    Compact(Span),
    /// A JSON value as stored.
    Verbatim(Span),
    /// Parts, joined by newlines.
    Lines(Arc<[Text]>),
}

impl Text {
    /// The parts joined by newlines.
    pub fn lines(parts: Vec<Text>) -> Self {
        Self::Lines(parts.into())
    }

    /// The text; borrowed where it stands somewhere as it is.
    pub fn to_str(&self) -> Cow<'_, str> {
        match self {
            Self::Static(text) => Cow::Borrowed(text),
            Self::Shared(text) => Cow::Borrowed(text),
            Self::Unescaped(span) => span.unescaped(),
            Self::Compact(span) => span.compact(),
            Self::Verbatim(span) => Cow::Borrowed(span.verbatim()),
            Self::Lines(parts) => match &**parts {
                [] => Cow::Borrowed(""),
                [only] => only.to_str(),
                _ => {
                    let mut out = String::new();
                    self.write_to(&mut out);
                    Cow::Owned(out)
                }
            },
        }
    }

    /// Gives the text's UTF-8 to `read`; `scratch` is memory for it where it does not stand anywhere as it is.
    pub fn read<T>(&self, scratch: &mut Scratch, read: impl FnOnce(&[u8]) -> T) -> T {
        let span = match self {
            Self::Unescaped(span) => span,
            _ => return read(self.to_str().as_bytes()),
        };
        let answer = read(span.unescaped_in(scratch));
        scratch.shrink();
        answer
    }

    /// Appends the text.
    pub fn write_to(&self, out: &mut String) {
        match self {
            Self::Unescaped(span) => span.unescape_into(out),
            Self::Lines(parts) => {
                for (index, part) in parts.iter().enumerate() {
                    if index > 0 {
                        out.push('\n');
                    }
                    part.write_to(out);
                }
            }
            _ => out.push_str(&self.to_str()),
        }
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self::Shared(text.into())
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        Self::Shared(text.into())
    }
}

impl From<Cow<'_, str>> for Text {
    fn from(text: Cow<'_, str>) -> Self {
        Self::Shared(text.into())
    }
}

/// Texts are equal when they say the same, however they are held.
impl PartialEq for Text {
    fn eq(&self, other: &Self) -> bool {
        self.to_str() == other.to_str()
    }
}

impl Eq for Text {}

impl PartialEq<str> for Text {
    fn eq(&self, other: &str) -> bool {
        self.to_str() == other
    }
}

impl PartialEq<&str> for Text {
    fn eq(&self, other: &&str) -> bool {
        self.to_str() == *other
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Document, Value};

    fn document() -> Document {
        Document::parse(br#"{ "a" : "x\n\u0000\ud83d" , "b" : [ 1.0 , "\u00e9 " , { } ] }"#.to_vec()).unwrap()
    }

    fn value(document: &Document, key: &str) -> Text {
        let value = document.root().get(key).unwrap();
        value.text().unwrap_or_else(|| value.verbatim())
    }

    #[test]
    fn every_form_says_its_text() {
        let document = document();
        let a = value(&document, "a");
        let compact = document.root().compact();
        let mut scratch = Scratch::default();
        for (text, said) in [
            (Text::Static("known"), "known"),
            (Text::from("built"), "built"),
            (a.clone(), "x\n\0\u{fffd}"),
            (document.root().get("a").as_ref().map(Value::verbatim).unwrap(), r#""x\n\u0000\ud83d""#),
            (value(&document, "b"), r#"[ 1.0 , "\u00e9 " , { } ]"#),
            (compact.clone(), r#"{"a":"x\n\u0000\ud83d","b":[1.0,"\u00e9 ",{}]}"#),
            (Text::lines(vec![]), ""),
            (Text::lines(vec![Text::Static("only")]), "only"),
            (Text::lines(vec![Text::Static("one"), a, Text::Static("")]), "one\nx\n\0\u{fffd}\n"),
        ] {
            assert_eq!(text, said);
            assert_eq!(text.to_string(), said);
            text.read(&mut scratch, |text| assert_eq!(text, said.as_bytes()));
            let mut out = String::new();
            text.write_to(&mut out);
            assert_eq!(out, said);
            text.write_to(&mut out);
            assert_eq!(out, said.repeat(2));
        }
    }

    #[test]
    fn outlives_its_document_and_crosses_threads() {
        fn crosses(text: Text) -> String {
            std::thread::spawn(move || text.to_string()).join().unwrap()
        }
        assert_eq!(crosses(value(&document(), "a")), "x\n\0\u{fffd}");
    }

    #[test]
    fn what_stands_there_as_it_is_is_not_copied() {
        let document = Document::parse(br#"{"plain":"abc","list":[1,2]}"#.to_vec()).unwrap();
        assert!(matches!(value(&document, "plain").to_str(), Cow::Borrowed("abc")));
        assert!(matches!(document.root().compact().to_str(), Cow::Borrowed(_)));
    }
}
