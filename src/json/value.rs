//! The values in a captured JSON text.

use std::borrow::Cow;
use std::fmt;

use super::Kind;
use super::document::{Document, checked};
use super::members::{Entries, Items, Key, Members};
use super::span::Span;
use super::tape::Token;
use super::unescape::unescape;
use crate::text::Text;

/// A value in a document. Reading one allocates nothing unless an escape must be undone.
#[derive(Clone, Copy)]
pub struct Value<'d> {
    document: &'d Document,
    token: usize,
}

impl<'d> Value<'d> {
    pub(super) fn token(&self) -> Token {
        self.document.inner.tape.get(self.token)
    }

    pub(super) fn at(document: &'d Document, token: usize) -> Self {
        Self { document, token }
    }

    /// Another value of the document.
    pub(super) fn other(&self, token: usize) -> Self {
        Self::at(self.document, token)
    }

    pub(super) fn document(&self) -> &'d Document {
        self.document
    }

    /// The number of the value's token.
    pub(super) fn place(&self) -> usize {
        self.token
    }

    /// The number of the token behind it.
    pub(super) fn next_place(&self) -> usize {
        self.token().next()
    }

    /// A string without its quotes.
    pub(super) fn inside(&self) -> &'d [u8] {
        let token = self.token();
        self.document.inner.bytes(token.at() + 1, token.end().saturating_sub(1))
    }

    /// What a string says.
    pub(super) fn said(&self) -> Cow<'d, str> {
        if !self.token().is_escaped() {
            return Cow::Borrowed(checked(self.inside()));
        }
        let mut text = Vec::new();
        unescape(self.inside(), &mut text);
        Cow::Owned(String::from_utf8(text).unwrap_or_default())
    }

    /// Whether a string says `text`.
    pub(super) fn says(&self, text: &str) -> bool {
        if self.token().is_escaped() { self.said() == text } else { self.inside() == text.as_bytes() }
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
        (self.kind() == Kind::Bool).then(|| self.bytes() == b"true")
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
        (self.kind() == Kind::String).then(|| self.said())
    }

    /// Whether the value is the string `text`.
    pub fn is_str(&self, text: &str) -> bool {
        self.kind() == Kind::String && self.says(text)
    }

    /// A string as a cell, unescaped when it is read.
    pub fn text(&self) -> Option<Text> {
        (self.kind() == Kind::String).then(|| Text::Unescaped(self.span()))
    }

    /// The bytes as stored, inner white space included.
    pub fn raw(&self) -> &'d str {
        let token = self.token();
        self.document.inner.str(token.at(), token.end())
    }

    /// [`Value::raw`] as bytes, which costs nothing.
    pub fn bytes(&self) -> &'d [u8] {
        let token = self.token();
        self.document.inner.bytes(token.at(), token.end())
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
        Entries::of(self.members())
    }

    /// The members of an object in stored order, of duplicate keys all.
    pub fn all_members(&self) -> impl Iterator<Item = (Key<'d>, Value<'d>)> + use<'d> {
        self.members()
    }

    /// The items of an array; nothing for another kind.
    pub fn items(&self) -> Items<'d> {
        Items::of(*self)
    }

    /// The number of items, or of members with duplicates counted; 0 for another kind.
    pub fn len(&self) -> usize {
        if self.kind() == Kind::Object { self.members().count() } else { self.items().count() }
    }

    /// Whether [`Value::len`] is 0.
    pub fn is_empty(&self) -> bool {
        self.next_place() == self.token + 1
    }

    /// The value as a document of its own, which shares the text and the index of this one.
    pub fn to_document(&self) -> Document {
        self.document.with_root(self.token)
    }

    pub(super) fn members(&self) -> Members<'d> {
        Members::of(*self)
    }

    pub(super) fn span(&self) -> Span {
        Span::of(*self)
    }
}

impl fmt::Debug for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Value").field(&self.raw()).finish()
    }
}
