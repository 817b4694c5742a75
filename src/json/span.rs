//! Values that outlive the borrow of their document.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use super::Kind;
use super::document::Document;
use super::scan::is_space;
use super::tape::Token;
use super::unescape::{self, room, unescape};
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

    /// The UTF-8 of [`Span::unescaped`], in this memory where it is not stored as such.
    pub fn unescaped_in<'a>(&'a self, scratch: &'a mut Scratch) -> &'a [u8] {
        let value = self.value();
        match value.kind() {
            Kind::String if value.token().is_escaped() => scratch.unescape(value.inside()),
            Kind::String => value.inside(),
            _ => value.raw().as_bytes(),
        }
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

/// Memory in which escapes are undone, one text after the other: it is made once and not zeroed for each.
#[derive(Debug, Default)]
pub struct Scratch(Vec<u8>);

impl Scratch {
    /// What a larger text took is given back.
    const KEPT: usize = 1 << 20;

    fn unescape(&mut self, raw: &[u8]) -> &[u8] {
        let room = room(raw);
        if self.0.len() < room {
            self.0.resize(room.next_power_of_two().min(room.max(Self::KEPT)), 0);
        }
        let written = unescape::write(raw, &mut self.0);
        self.0.get(..written).unwrap_or_default()
    }

    /// Gives back what was only for a text of unusual size.
    pub fn shrink(&mut self) {
        if self.0.len() > Self::KEPT {
            self.0 = Vec::new();
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// What a text before left in the memory never shows, and a large one's is given back.
    #[test]
    fn a_scratch_serves_one_text_after_the_other() {
        let mut scratch = Scratch::default();
        for count in [0, 1, 100, 3, 2 << 20, 1, 63, 64, 65] {
            let raw = "\\n".repeat(count);
            assert_eq!(scratch.unescape(raw.as_bytes()), "\n".repeat(count).as_bytes());
            scratch.shrink();
            assert!(scratch.0.len() <= Scratch::KEPT);
        }
    }
}
