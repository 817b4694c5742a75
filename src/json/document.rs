//! A captured JSON text and the values in it.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use super::scan::{Scanner, Step, is_space};
use super::tape::{Tape, Token};
use super::unescape::unescape;
use super::{Kind, Limits, described_trailing, too_large, utf8_error};
use crate::error::Result;
use crate::text::Text;

/// One well-formed JSON text with its index. A clone shares it.
#[derive(Clone)]
pub struct Document(pub(super) Arc<Inner>);

/// Bytes that may hold more than the value, where the value begins in them, and its tokens counted from there.
#[derive(Debug, Default)]
pub(super) struct Inner {
    pub(super) bytes: Arc<Vec<u8>>,
    pub(super) start: usize,
    pub(super) tape: Tape,
}

impl Inner {
    fn bytes(&self, from: usize, to: usize) -> &[u8] {
        self.bytes.get(self.start + from..self.start + to).unwrap_or_default()
    }

    fn str(&self, from: usize, to: usize) -> &str {
        checked(self.bytes(from, to))
    }
}

/// Captured bytes as text. They were checked when they were captured; checking again costs less than one unsafe block.
fn checked(bytes: &[u8]) -> &str {
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
        let start = if bytes.starts_with(super::window::BOM) { super::window::BOM.len() } else { 0 };
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
        debug_assert_eq!(step, Ok(Step::Done));
        if tape.is_full() {
            return Err(too_large(limits));
        }
        if let Some(extra) = text.iter().skip(end).position(|byte| !is_space(*byte)) {
            return Err(described_trailing((start + end + extra) as u64, text.get(end + extra).copied()));
        }
        Ok(Self(Arc::new(Inner { bytes, start, tape })))
    }

    /// The value.
    pub fn root(&self) -> Value<'_> {
        Value { document: self, token: 0 }
    }

    /// The bytes that this document keeps in memory: its index, and the text that it may share with others.
    pub fn heap_bytes(&self) -> usize {
        self.0.bytes.capacity() + self.0.tape.heap_bytes()
    }
}

impl fmt::Debug for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Document").field(&self.root().raw()).finish()
    }
}

/// A value in a document. Reading one allocates nothing unless an escape must be undone.
#[derive(Clone, Copy)]
pub struct Value<'d> {
    document: &'d Document,
    token: usize,
}

impl<'d> Value<'d> {
    fn token(&self) -> Token {
        self.document.0.tape.get(self.token)
    }

    fn at(&self, token: usize) -> Self {
        Self { document: self.document, token }
    }

    /// What the value is.
    pub fn kind(&self) -> Kind {
        self.token().kind()
    }

    /// Whether it is `null`.
    pub fn is_null(&self) -> bool {
        self.kind() == Kind::Null
    }

    /// A boolean's value.
    pub fn as_bool(&self) -> Option<bool> {
        (self.kind() == Kind::Bool).then(|| self.raw() == "true")
    }

    /// A number that is spelled as an integer and fits; `7.0` and `1e3` are not.
    pub fn as_i64(&self) -> Option<i64> {
        if self.kind() == Kind::Number { self.raw().parse().ok() } else { None }
    }

    /// A number that is spelled as an unsigned integer and fits; `7.0` and `1e3` are not.
    pub fn as_u64(&self) -> Option<u64> {
        if self.kind() == Kind::Number { self.raw().parse().ok() } else { None }
    }

    /// A string's text.
    pub fn as_str(&self) -> Option<Cow<'d, str>> {
        let token = self.token();
        (token.kind() == Kind::String).then(|| unescaped(self.document, token))
    }

    /// Whether the value is the string `text`.
    pub fn is_str(&self, text: &str) -> bool {
        let token = self.token();
        token.kind() == Kind::String && says(self.document, token, text)
    }

    /// A string as a cell, unescaped when it is read.
    pub fn text(&self) -> Option<Text> {
        (self.kind() == Kind::String).then(|| Text::Unescaped(self.span()))
    }

    /// The bytes as stored, inner white space included.
    pub fn raw(&self) -> &'d str {
        let token = self.token();
        self.document.0.str(token.at(), token.end())
    }

    /// The value as a cell, as stored.
    pub fn verbatim(&self) -> Text {
        Text::Verbatim(self.span())
    }

    /// The value as a cell: tokens, numbers and escapes as spelled, white space between tokens dropped.
    pub fn compact(&self) -> Text {
        Text::Compact(self.span())
    }

    /// The member of an object; of duplicate keys the last.
    pub fn get(&self, key: &str) -> Option<Value<'d>> {
        self.members().filter(|(name, _)| *name == key).last().map(|(_, value)| value)
    }

    /// The members of an object in stored order; nothing for another kind. Of duplicate keys only the last is given.
    pub fn entries(&self) -> Entries<'d> {
        Entries::new(self.members())
    }

    /// The items of an array; nothing for another kind.
    pub fn items(&self) -> Items<'d> {
        let token = self.token();
        let is_array = token.kind() == Kind::Array;
        Items { value: self.at(self.token + 1), end: if is_array { token.next() } else { 0 } }
    }

    /// The number of items, or of members with duplicates counted; 0 for another kind.
    pub fn len(&self) -> usize {
        if self.kind() == Kind::Object { self.members().count() } else { self.items().count() }
    }

    /// Whether [`Value::len`] is 0.
    pub fn is_empty(&self) -> bool {
        self.token().next() == self.token + 1
    }

    fn members(&self) -> Members<'d> {
        let token = self.token();
        let is_object = token.kind() == Kind::Object;
        Members { value: self.at(self.token + 1), end: if is_object { token.next() } else { 0 } }
    }

    fn span(&self) -> Span {
        Span { document: self.document.clone(), token: self.token }
    }
}

impl fmt::Debug for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Value").field(&self.raw()).finish()
    }
}

/// A string without its quotes.
fn inside(document: &Document, token: Token) -> &[u8] {
    document.0.bytes(token.at() + 1, token.end().saturating_sub(1))
}

fn unescaped(document: &Document, token: Token) -> Cow<'_, str> {
    let raw = inside(document, token);
    if !token.is_escaped() {
        return Cow::Borrowed(checked(raw));
    }
    let mut text = Vec::new();
    unescape(raw, &mut text);
    Cow::Owned(String::from_utf8(text).unwrap_or_default())
}

fn says(document: &Document, token: Token, text: &str) -> bool {
    if token.is_escaped() { unescaped(document, token) == text } else { inside(document, token) == text.as_bytes() }
}

/// A member's name.
#[derive(Clone, Copy)]
pub struct Key<'d>(Value<'d>);

impl<'d> Key<'d> {
    /// The name.
    pub fn as_str(&self) -> Cow<'d, str> {
        unescaped(self.0.document, self.0.token())
    }

    /// The name as a cell.
    pub fn text(&self) -> Text {
        Text::Unescaped(self.0.span())
    }
}

impl PartialEq<str> for Key<'_> {
    fn eq(&self, other: &str) -> bool {
        says(self.0.document, self.0.token(), other)
    }
}

impl PartialEq<&str> for Key<'_> {
    fn eq(&self, other: &&str) -> bool {
        *self == **other
    }
}

impl fmt::Debug for Key<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.as_str(), f)
    }
}

/// The items of an array.
#[derive(Clone)]
pub struct Items<'d> {
    value: Value<'d>,
    end: usize,
}

impl<'d> Iterator for Items<'d> {
    type Item = Value<'d>;

    fn next(&mut self) -> Option<Value<'d>> {
        let value = self.value;
        if value.token >= self.end {
            return None;
        }
        self.value = value.at(value.token().next());
        Some(value)
    }
}

/// The members of an object, duplicates included.
#[derive(Clone)]
struct Members<'d> {
    value: Value<'d>,
    end: usize,
}

impl<'d> Iterator for Members<'d> {
    type Item = (Key<'d>, Value<'d>);

    fn next(&mut self) -> Option<Self::Item> {
        let key = self.value;
        if key.token >= self.end {
            return None;
        }
        let value = key.at(key.token + 1);
        self.value = key.at(value.token().next());
        Some((Key(key), value))
    }
}

/// The members of an object, the last of duplicates only.
#[derive(Clone)]
pub struct Entries<'d> {
    members: Members<'d>,
    /// For a large object: where each key stands for the last time.
    last: Option<Arc<HashMap<Cow<'d, str>, usize>>>,
}

impl<'d> Entries<'d> {
    /// Up to here the later keys are compared one by one.
    const FEW: usize = 16;

    fn new(members: Members<'d>) -> Self {
        let is_large = members.clone().nth(Self::FEW).is_some();
        let last = is_large.then(|| Arc::new(members.clone().map(|(key, _)| (key.as_str(), key.0.token)).collect()));
        Self { members, last }
    }

    fn is_last(&self, key: &Key<'d>) -> bool {
        match &self.last {
            Some(last) => last.get(&key.as_str()) == Some(&key.0.token),
            None => {
                let mut later = self.members.clone().peekable();
                if later.peek().is_none() {
                    return true;
                }
                let name = key.as_str();
                !later.any(|(other, _)| other == *name)
            }
        }
    }
}

impl<'d> Iterator for Entries<'d> {
    type Item = (Key<'d>, Value<'d>);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let (key, value) = self.members.next()?;
            if self.is_last(&key) {
                return Some((key, value));
            }
        }
    }
}

/// A value that keeps its document alive: what a [`Text`] holds.
#[derive(Clone)]
pub struct Span {
    document: Document,
    token: usize,
}

impl Span {
    fn value(&self) -> Value<'_> {
        Value { document: &self.document, token: self.token }
    }

    /// A string unescaped; another value as stored.
    pub fn unescaped(&self) -> Cow<'_, str> {
        self.value().as_str().unwrap_or_else(|| Cow::Borrowed(self.verbatim()))
    }

    /// Appends [`Span::unescaped`].
    pub fn unescape_into(&self, out: &mut String) {
        let token = self.value().token();
        match token.kind() {
            Kind::String if token.is_escaped() && out.is_empty() => {
                let mut bytes = std::mem::take(out).into_bytes();
                unescape(inside(&self.document, token), &mut bytes);
                *out = String::from_utf8(bytes).unwrap_or_default();
            }
            Kind::String => out.push_str(&self.unescaped()),
            _ => out.push_str(self.verbatim()),
        }
    }

    /// The value as stored.
    pub fn verbatim(&self) -> &str {
        self.value().raw()
    }

    /// The value without white space between tokens.
    pub fn compact(&self) -> Cow<'_, str> {
        let raw = self.verbatim();
        if !self.gaps().any(|gap| gap.bytes().any(is_space)) {
            return Cow::Borrowed(raw);
        }
        let mut out = String::with_capacity(raw.len());
        let mut leaves = self.leaves();
        for gap in self.gaps() {
            out.extend(gap.chars().filter(|c| !c.is_ascii_whitespace()));
            out.extend(leaves.next());
        }
        Cow::Owned(out)
    }

    /// The strings, numbers and literals, in order.
    fn leaves(&self) -> impl Iterator<Item = &str> {
        self.leaf_tokens().map(|token| self.document.0.str(token.at(), token.end()))
    }

    /// What stands before, between and behind them: brackets, commas, colons, white space.
    fn gaps(&self) -> impl Iterator<Item = &str> {
        let whole = self.value().token();
        let starts = std::iter::once(whole.at()).chain(self.leaf_tokens().map(Token::end));
        let ends = self.leaf_tokens().map(Token::at).chain(std::iter::once(whole.end()));
        starts.zip(ends).map(|(from, to)| self.document.0.str(from, to))
    }

    fn leaf_tokens(&self) -> impl Iterator<Item = Token> {
        let tape = &self.document.0.tape;
        let tokens = self.token..self.value().token().next();
        tokens.map(|token| tape.get(token)).filter(|token| !matches!(token.kind(), Kind::Array | Kind::Object))
    }
}

impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.verbatim(), f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
