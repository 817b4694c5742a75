//! A captured JSON text.

use std::fmt;
use std::sync::Arc;

use super::Limits;
use super::fault::{too_large, trailing, utf8_error};
use super::scan::{Scanner, is_space};
use super::tape::Tape;
use super::value::Value;
use super::window::BOM;
use crate::error::Result;

/// One well-formed JSON text with its index, or a value of one. A clone shares it.
#[derive(Clone)]
pub struct Document {
    pub(super) inner: Arc<Inner>,
    /// The number of the value's token.
    root: usize,
}

/// Bytes that may hold more than the value, where the value begins in them, and its tokens counted from there.
#[derive(Debug, Default)]
pub(super) struct Inner {
    pub(super) bytes: Arc<Vec<u8>>,
    pub(super) start: usize,
    pub(super) tape: Tape,
}

impl Inner {
    pub(super) fn bytes(&self, from: usize, to: usize) -> &[u8] {
        self.bytes.get(self.start + from..self.start + to).unwrap_or_default()
    }

    pub(super) fn str(&self, from: usize, to: usize) -> &str {
        checked(self.bytes(from, to))
    }
}

/// Captured bytes as text. They were checked when they were captured; checking again costs less than one unsafe block.
pub(super) fn checked(bytes: &[u8]) -> &str {
    simdutf8::basic::from_utf8(bytes).unwrap_or_default()
}

impl Document {
    /// Reads a whole text; only white space may stand around its one value.
    pub fn parse(bytes: impl Into<Arc<Vec<u8>>>) -> Result<Self> {
        Self::parse_within(bytes, &Limits::default())
    }

    /// [`Document::parse`] with other limits.
    pub fn parse_within(bytes: impl Into<Arc<Vec<u8>>>, limits: &Limits) -> Result<Self> {
        let bytes: Arc<Vec<u8>> = bytes.into();
        let start = if bytes.starts_with(BOM) { BOM.len() } else { 0 };
        let text = bytes.get(start..).unwrap_or_default();
        if text.len() > limits.value_bytes() {
            return Err(too_large(limits));
        }
        let mut tape = Tape::default();
        tape.reset(limits.tokens());
        let mut scanner = Scanner::new();
        scanner.reset(limits.max_depth);
        let step = scanner.run(text, true, &mut tape);
        let end = scanner.position();
        let found = text.get(end).copied();
        if let Err(at) = scanner.check_utf8(text, true) {
            return Err(utf8_error((start + at) as u64));
        }
        if let Err(fault) = step {
            return Err(fault.error((start + end) as u64, found, limits));
        }
        if tape.is_full() {
            return Err(too_large(limits));
        }
        if let Some(extra) = text.iter().skip(end).position(|byte| !is_space(*byte)) {
            return Err(trailing((start + end + extra) as u64, text.get(end + extra).copied()));
        }
        Ok(Self::of(Arc::new(Inner { bytes, start, tape })))
    }

    pub(super) fn of(inner: Arc<Inner>) -> Self {
        Self { inner, root: 0 }
    }

    /// The document whose root is the value `at`; it shares this one's text and index.
    pub(super) fn with_root(&self, at: usize) -> Self {
        Self { inner: Arc::clone(&self.inner), root: at }
    }

    /// The value.
    pub fn root(&self) -> Value<'_> {
        Value::at(self, self.root)
    }

    /// The bytes that this document keeps in memory: its index, and the text that it may share with others.
    pub fn heap_bytes(&self) -> usize {
        self.inner.bytes.capacity() + self.inner.tape.heap_bytes()
    }
}

impl fmt::Debug for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Document").field(&self.root().raw()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Kind;

    fn parsed(text: &str) -> Document {
        Document::parse(text.as_bytes().to_vec()).unwrap()
    }

    #[test]
    fn walks_values() {
        let document = parsed(r#" {"a": [1, "x\u0041\ud83d", {"b":null}], "t":true, "a": -7, "e":{}} "#);
        let root = document.root();
        assert_eq!(root.kind(), Kind::Object);
        assert_eq!(root.get("a").unwrap().as_i64(), Some(-7));
        assert_eq!(root.get("t").unwrap().as_bool(), Some(true));
        let entries: Vec<_> = root.entries().map(|(key, value)| (key.as_str(), value.raw())).collect();
        assert_eq!(entries, [("t".into(), "true"), ("a".into(), "-7"), ("e".into(), "{}")]);
        let first = root.members().next().unwrap().1;
        assert_eq!(
            first.items().map(|item| item.raw()).collect::<Vec<_>>(),
            ["1", r#""x\u0041\ud83d""#, r#"{"b":null}"#]
        );
        assert_eq!(first.items().nth(1).unwrap().text().unwrap(), "xA\u{fffd}");
        assert_eq!(root.compact(), r#"{"a":[1,"x\u0041\ud83d",{"b":null}],"t":true,"a":-7,"e":{}}"#);
        assert!(root.get("e").unwrap().is_empty());
    }

    #[test]
    fn deep_nesting_is_an_error() {
        let deep = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
        assert!(Document::parse(deep(512).into_bytes()).is_ok());
        let error = Document::parse(deep(60_000).into_bytes()).unwrap_err();
        assert!(error.to_string().starts_with("limit: nesting is deeper than 512 at byte 512"), "{error}");
    }
}
