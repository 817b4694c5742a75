//! Columns and cells: what a table declares, and what a row answers.

use super::cursor::Held;
use super::pointer::Pointer;
use crate::text::Text;
use crate::time::Time;
use std::borrow::Cow;
use std::sync::Arc;

/// A cell, borrowed from the row that holds it.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell<'a> {
    /// Unknown, absent, or of a record that did not decode.
    Null,
    /// Numbers, and booleans as 0 or 1.
    Integer(i64),
    /// UTF-8 text of any length; it may hold NUL.
    Text(Cow<'a, str>),
    /// The same, decoded by who reads it.
    Decoded(&'a Text),
    /// A time's text, spelled by who reads it.
    Time(Time),
    /// A pointer's text, written out by who reads it.
    Pointer(&'a Pointer),
}

impl<'a> Cell<'a> {
    /// The text, if it is one.
    pub fn into_text(self) -> Option<Cow<'a, str>> {
        match self {
            Self::Null | Self::Integer(_) => None,
            Self::Text(text) => Some(text),
            Self::Decoded(text) => Some(text.to_str()),
            Self::Time(time) => Some(time.to_string().into()),
            Self::Pointer(pointer) => Some(pointer.to_string().into()),
        }
    }

    /// The cell without its row.
    pub fn into_owned(self) -> Cell<'static> {
        match self {
            Self::Null => Cell::Null,
            Self::Integer(number) => Cell::Integer(number),
            Self::Time(time) => Cell::Time(time),
            Self::Text(_) | Self::Decoded(_) | Self::Pointer(_) => {
                Cell::Text(self.into_text().unwrap_or_default().into_owned().into())
            }
        }
    }
}

/// A column's declared type: SQLite's affinity keyword.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Type {
    /// 64-bit signed integers.
    Integer,
    /// UTF-8 text.
    Text,
}

impl Type {
    /// The word that stands in CREATE TABLE.
    pub const fn keyword(self) -> &'static str {
        match self {
            Self::Integer => "INTEGER",
            Self::Text => "TEXT",
        }
    }
}

/// What a constraint on a column is good for. Whatever the access, SQLite checks every row again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// SQLite filters; the scan never hears of it.
    Plain,
    /// `=` and `IN` reach the scan, which then reads only those records.
    Key,
    /// `<`, `<=`, `>`, `>=` and `=` reach the scan, which may leave out records outside.
    Range,
    /// `LIKE` and `GLOB` reach the scan, which may leave out rows that cannot match.
    Search,
    /// Declared HIDDEN: left out of `SELECT *`, and only there in the eponymous table.
    Hidden,
}

/// One column as its table declares it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Column {
    /// As SQL writes it.
    pub name: &'static str,
    /// Declared type.
    pub ty: Type,
    /// What it means, its unit, its source, when it is NULL. Sentences.
    pub doc: &'static str,
    /// What a constraint on it is good for.
    pub access: Access,
    /// Are its cells short? Rows of which only such cells are asked for may be kept: [`Heads`](super::Heads).
    pub is_short: bool,
}

/// A Rust type that can be a column.
pub trait Field {
    /// The declared type.
    const TYPE: Type;
    /// Is every value short?
    const IS_SHORT: bool = true;
    /// The cell's value.
    fn cell(&self) -> Cell<'_>;
    /// Adds what it keeps in memory beside itself; little of it may be left out.
    fn hold(&self, _held: &mut Held) {}
}

impl Field for i64 {
    const TYPE: Type = Type::Integer;
    fn cell(&self) -> Cell<'_> {
        Cell::Integer(*self)
    }
}

impl Field for bool {
    const TYPE: Type = Type::Integer;
    fn cell(&self) -> Cell<'_> {
        Cell::Integer(i64::from(*self))
    }
}

impl Field for String {
    const TYPE: Type = Type::Text;
    const IS_SHORT: bool = false;
    fn cell(&self) -> Cell<'_> {
        Cell::Text(Cow::Borrowed(self))
    }
    fn hold(&self, held: &mut Held) {
        held.add(self.len());
    }
}

impl Field for Arc<str> {
    const TYPE: Type = Type::Text;
    fn cell(&self) -> Cell<'_> {
        Cell::Text(Cow::Borrowed(self))
    }
}

impl Field for &'static str {
    const TYPE: Type = Type::Text;
    fn cell(&self) -> Cell<'_> {
        Cell::Text(Cow::Borrowed(self))
    }
}

impl Field for Text {
    const TYPE: Type = Type::Text;
    const IS_SHORT: bool = false;
    fn hold(&self, held: &mut Held) {
        match self {
            Self::Static(_) => {}
            Self::Shared(text) => held.add(text.len()),
            Self::Unescaped(span) | Self::Compact(span) | Self::Verbatim(span) => {
                let (place, bytes) = span.heap();
                held.add_shared(place, bytes);
            }
            Self::Lines(parts) => parts.iter().for_each(|part| part.hold(held)),
        }
    }
    fn cell(&self) -> Cell<'_> {
        Cell::Decoded(self)
    }
}

impl Field for Time {
    const TYPE: Type = Type::Text;
    fn cell(&self) -> Cell<'_> {
        Cell::Time(*self)
    }
}

impl<T: Field> Field for Option<T> {
    const TYPE: Type = T::TYPE;
    const IS_SHORT: bool = T::IS_SHORT;
    fn cell(&self) -> Cell<'_> {
        self.as_ref().map_or(Cell::Null, Field::cell)
    }
    fn hold(&self, held: &mut Held) {
        self.iter().for_each(|value| value.hold(held));
    }
}
