//! Values that outlive the borrow of their document.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use super::Kind;
use super::document::Document;
use super::scan::is_space;
use super::tape::Token;
use super::unescape::unescape;
use super::value::Value;

/// A value that keeps its document alive: what a [`Text`](crate::text::Text) holds.
#[derive(Clone)]
pub struct Span {
    document: Document,
    token: usize,
}

impl Span {
    pub(super) fn of(value: Value<'_>) -> Self {
        Self { document: value.document().clone(), token: value.place() }
    }

    /// What keeps the value in memory: where it is, and how many bytes it takes.
    pub fn heap(&self) -> (*const (), usize) {
        (std::sync::Arc::as_ptr(&self.document.inner).cast(), self.document.heap_bytes())
    }

    fn value(&self) -> Value<'_> {
        Value::at(&self.document, self.token)
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
                unescape(self.value().inside(), &mut bytes);
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
        if !self.gaps().any(|gap| part(raw, gap).bytes().any(is_space)) {
            return Cow::Borrowed(raw);
        }
        let mut out = String::with_capacity(raw.len());
        let mut from = 0;
        for gap in self.gaps() {
            out.push_str(part(raw, from..gap.start));
            out.extend(part(raw, gap.clone()).chars().filter(|c| !c.is_ascii_whitespace()));
            from = gap.end;
        }
        Cow::Owned(out)
    }

    /// What stands before, between and behind strings, numbers and literals: brackets, commas, colons, white space.
    /// Counted from the start of the value.
    fn gaps(&self) -> impl Iterator<Item = Range<usize>> {
        let whole = self.value().token();
        let starts = std::iter::once(whole.at()).chain(self.leaves().map(Token::end));
        let ends = self.leaves().map(Token::at).chain(std::iter::once(whole.end()));
        starts.zip(ends).map(move |(from, to)| from - whole.at()..to - whole.at())
    }

    fn leaves(&self) -> impl Iterator<Item = Token> {
        let tape = &self.document.inner.tape;
        let tokens = self.token..self.value().next_place();
        tokens.map(|token| tape.get(token)).filter(|token| !matches!(token.kind(), Kind::Array | Kind::Object))
    }
}

fn part(raw: &str, range: Range<usize>) -> &str {
    raw.get(range).unwrap_or_default()
}

impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.verbatim(), f)
    }
}
