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
        match self.said_bytes() {
            Cow::Borrowed(bytes) => Cow::Borrowed(checked(bytes)),
            Cow::Owned(bytes) => Cow::Owned(String::from_utf8(bytes).unwrap_or_default()),
        }
    }

    /// [`Value::said`] as bytes, which were checked when they were captured.
    #[inline(always)]
    pub(super) fn said_bytes(&self) -> Cow<'d, [u8]> {
        if !self.token().is_escaped() {
            return Cow::Borrowed(self.inside());
        }
        let mut text = Vec::new();
        unescape(self.inside(), &mut text);
        Cow::Owned(text)
    }

    /// Whether a string says `text`. Most that do not are of another length, and no byte of them is looked at.
    #[inline]
    pub(super) fn says(&self, text: &str) -> bool {
        let token = self.token();
        if token.is_escaped() {
            return *self.said_bytes() == *text.as_bytes();
        }
        token.end() - token.at() == text.len() + 2 && is_same(self.inside(), text.as_bytes())
    }

    /// Whether two strings say the same.
    #[inline]
    pub(super) fn says_as(&self, other: &Self) -> bool {
        if self.token().is_escaped() || other.token().is_escaped() {
            return self.said_bytes() == other.said_bytes();
        }
        let (one, other) = (self.inside(), other.inside());
        one.len() == other.len() && is_same(one, other)
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
        let [found] = self.get_each([key]);
        found
    }

    /// The members of these names, in one walk over the object; of duplicate keys the last.
    #[inline]
    pub fn get_each<const N: usize>(&self, names: [&str; N]) -> [Option<Value<'d>>; N] {
        let mut found = [None; N];
        for (key, value) in self.members() {
            let key = key.bytes();
            let is_it = |name: &str| name.len() == key.len() && is_same(name.as_bytes(), &key);
            if let Some((_, slot)) = names.iter().zip(&mut found).find(|(name, _)| is_it(name)) {
                *slot = Some(value);
            }
        }
        found
    }

    /// The one member of an object that has no others; of duplicate keys the last.
    pub fn only_member(&self) -> Option<(Key<'d>, Value<'d>)> {
        let mut members = self.members();
        let first = members.next()?;
        members.try_fold(first, |(key, _), (other, value)| (other == key).then_some((other, value)))
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

/// Are two texts of one length the same? Names are short: to call out for it takes longer than to compare them here.
#[inline]
fn is_same(one: &[u8], other: &[u8]) -> bool {
    match one.len() {
        4..=8 => one.first_chunk::<4>() == other.first_chunk() && one.last_chunk::<4>() == other.last_chunk(),
        9..=16 => one.first_chunk::<8>() == other.first_chunk() && one.last_chunk::<8>() == other.last_chunk(),
        17..=32 => one.first_chunk::<16>() == other.first_chunk() && one.last_chunk::<16>() == other.last_chunk(),
        _ => one == other,
    }
}

impl fmt::Debug for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Value").field(&self.raw()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_found_by_what_their_names_say() {
        let text = br#"{"a":1,"tool_name":2,"i\u0064":3,"tool_uses":4,"a":5,"an_input_of_17_bytes":6}"#;
        let document = Document::parse(text.to_vec()).unwrap();
        let root = document.root();
        let names = ["id", "tool_uses", "tool_name", "none", "a", "an_input_of_17_bytes", "an_input_of_17_byteS"];
        let each = root.get_each(names).map(|found| found.and_then(|value| value.as_i64()));
        assert_eq!(each, [Some(3), Some(4), Some(2), None, Some(5), Some(6), None]);
        assert_eq!(names.map(|name| root.get(name).and_then(|value| value.as_i64())), each);
    }

    #[test]
    fn the_only_member() {
        for (text, only) in [
            (r#"{"Text":"a"}"#, Some(("Text", r#""a""#))),
            (r#"{"Te\u0078t":[1,{}]}"#, Some(("Text", "[1,{}]"))),
            (r#"{"a":1,"\u0061":2}"#, Some(("a", "2"))),
            (r#"{"a":1,"b":2,"a":3}"#, None),
            ("{}", None),
            ("[1]", None),
        ] {
            let document = Document::parse(text.as_bytes().to_vec()).unwrap();
            let found = document.root().only_member().map(|(key, value)| (key.as_str(), value.raw()));
            assert_eq!(found, only.map(|(key, value)| (key.into(), value)), "{text}");
        }
    }

    #[test]
    fn short_texts_are_the_same_byte_by_byte() {
        for length in 0..40 {
            let text = vec![b'x'; length];
            assert!(is_same(&text, &text.clone()));
            for at in 0..length {
                let mut other = text.clone();
                other[at] = b'y';
                assert!(!is_same(&text, &other), "{at} of {length}");
            }
        }
    }
}
