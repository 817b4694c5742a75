//! A row of an answer, and the parameters of a question.

use rusqlite::ToSql;
use rusqlite::types::{ToSqlOutput, Value, ValueRef};
use std::borrow::Cow;

/// How SQLite stores a value, whatever the column's declared type says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Storage {
    /// No value.
    Null,
    /// A 64-bit integer.
    Integer,
    /// A double.
    Real,
    /// Text, not necessarily valid UTF-8.
    Text,
    /// Bytes.
    Blob,
}

/// One row; columns count from 0. A column that is not there reads as NULL.
pub struct Row<'row>(pub(super) &'row rusqlite::Row<'row>);

impl Row<'_> {
    fn value(&self, column: usize) -> ValueRef<'_> {
        self.0.get_ref(column).unwrap_or(ValueRef::Null)
    }

    /// The value's storage class.
    pub fn kind(&self, column: usize) -> Storage {
        match self.value(column) {
            ValueRef::Null => Storage::Null,
            ValueRef::Integer(_) => Storage::Integer,
            ValueRef::Real(_) => Storage::Real,
            ValueRef::Text(_) => Storage::Text,
            ValueRef::Blob(_) => Storage::Blob,
        }
    }

    /// The bytes of a TEXT or BLOB value.
    pub fn bytes(&self, column: usize) -> Option<&[u8]> {
        match self.value(column) {
            ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// A TEXT or BLOB value as text; a byte sequence that is no UTF-8 becomes U+FFFD. Numbers are written out.
    pub fn text(&self, column: usize) -> Option<Cow<'_, str>> {
        match self.value(column) {
            ValueRef::Null => None,
            ValueRef::Integer(number) => Some(number.to_string().into()),
            ValueRef::Real(number) => Some(number.to_string().into()),
            // Nearly all is UTF-8, which the plain check sees sooner.
            ValueRef::Text(bytes) | ValueRef::Blob(bytes) => {
                Some(std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed))
            }
        }
    }

    /// An INTEGER value; no other storage class is converted.
    pub fn integer(&self, column: usize) -> Option<i64> {
        match self.value(column) {
            ValueRef::Integer(number) => Some(number),
            _ => None,
        }
    }

    /// A REAL or INTEGER value.
    pub fn real(&self, column: usize) -> Option<f64> {
        match self.value(column) {
            ValueRef::Real(number) => Some(number),
            ValueRef::Integer(number) => Some(number as f64),
            _ => None,
        }
    }
}

/// A value for a `?` in a question.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Param<'value> {
    /// NULL.
    Null,
    /// An integer.
    Integer(i64),
    /// Text.
    Text(&'value str),
    /// Bytes. They equal no TEXT value, however alike.
    Blob(&'value [u8]),
}

impl ToSql for Param<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match *self {
            Self::Null => ToSqlOutput::Owned(Value::Null),
            Self::Integer(number) => ToSqlOutput::Owned(Value::Integer(number)),
            Self::Text(text) => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
            Self::Blob(bytes) => ToSqlOutput::Borrowed(ValueRef::Blob(bytes)),
        })
    }
}

impl From<i64> for Param<'_> {
    fn from(number: i64) -> Self {
        Self::Integer(number)
    }
}

impl<'value> From<&'value str> for Param<'value> {
    fn from(text: &'value str) -> Self {
        Self::Text(text)
    }
}

impl<'value> From<&'value [u8]> for Param<'value> {
    fn from(bytes: &'value [u8]) -> Self {
        Self::Blob(bytes)
    }
}
