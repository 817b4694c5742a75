//! A row of `db.sqlite`, by column name.

use crate::store::paths;
use crate::store::sqlite::{Row, Storage};
use crate::text::Text;
use crate::time::Time;
use serde_json::{Map, Value};
use std::fmt::Write as _;
use std::sync::Arc;

/// A value as stored.
#[derive(Debug, Clone, PartialEq)]
pub enum Stored {
    /// Nothing, or a column that the file does not have.
    Null,
    /// A number.
    Integer(i64),
    /// Text, and numbers that are none in any shape of the tables.
    Text(Arc<str>),
    /// Bytes.
    Blob(Arc<[u8]>),
}

impl Stored {
    /// The value of a column, from 0.
    pub fn read(row: &Row<'_>, column: usize) -> Self {
        match row.kind(column) {
            Storage::Null => Self::Null,
            Storage::Integer => row.integer(column).map_or(Self::Null, Self::Integer),
            Storage::Blob => row.bytes(column).map_or(Self::Null, |bytes| Self::Blob(bytes.into())),
            Storage::Text | Storage::Real => row.text(column).map_or(Self::Null, |text| Self::Text(text.into())),
        }
    }
}

/// A row. What is asked for by a name that its table does not list is NULL.
#[derive(Debug, Clone)]
pub struct Record {
    /// Its key in the file.
    pub rowid: i64,
    columns: &'static [&'static str],
    values: Vec<Stored>,
}

/// What a row shows of itself as stored leaves this out: it can hold passwords.
const HIDDEN: &str = "remote_connection";

impl Record {
    /// A row with a value for each column.
    pub fn new(rowid: i64, columns: &'static [&'static str], values: Vec<Stored>) -> Self {
        Self { rowid, columns, values }
    }

    fn value(&self, column: &str) -> &Stored {
        let position = self.columns.iter().position(|name| *name == column);
        position.and_then(|position| self.values.get(position)).unwrap_or(&Stored::Null)
    }

    /// Text; an empty one says nothing and is `None`.
    pub fn text(&self, column: &str) -> Option<Arc<str>> {
        match self.value(column) {
            Stored::Text(text) => Some(Arc::clone(text)).filter(|text| !text.is_empty()),
            Stored::Integer(number) => Some(number.to_string().into()),
            Stored::Blob(bytes) => Some(String::from_utf8_lossy(bytes).into()).filter(|text: &Arc<str>| !text.is_empty()),
            Stored::Null => None,
        }
    }

    /// An id: 16 bytes are a UUID, which Zed spells in lower case with hyphens everywhere else.
    pub fn id(&self, column: &str) -> Option<Arc<str>> {
        match self.value(column) {
            Stored::Blob(bytes) => Some(spelled(bytes).into()),
            _ => self.text(column),
        }
    }

    /// A time; `None` for a spelling that is none.
    pub fn time(&self, column: &str) -> Option<Time> {
        Time::parse_rfc3339(&self.text(column)?)
    }

    /// A time that the row records of itself, and the word for that; both NULL for a spelling that is none.
    pub fn dated(&self, column: &str) -> (Option<Time>, Option<&'static str>) {
        let time = self.time(column);
        (time, time.map(|_| "record"))
    }

    /// A flag: 0 or 1.
    pub fn flag(&self, column: &str) -> Option<bool> {
        self.integer(column).map(|number| number != 0)
    }

    /// An integer, which a table that is not STRICT may hold as text.
    pub fn integer(&self, column: &str) -> Option<i64> {
        match self.value(column) {
            Stored::Integer(number) => Some(*number),
            Stored::Text(text) => text.parse().ok(),
            Stored::Null | Stored::Blob(_) => None,
        }
    }

    /// The folders of a path list, in the order in which the user named them; empty when there are none.
    pub fn folders(&self, paths: &str, order: &str) -> Vec<Arc<str>> {
        let paths = self.text(paths).unwrap_or_default();
        let order = self.text(order).unwrap_or_default();
        paths::user_order(&paths, &order).into_iter().map(Arc::from).collect()
    }

    /// The row as one JSON object, bytes as hex, without what can hold credentials.
    pub fn raw(&self) -> Text {
        let shown = self.columns.iter().zip(&self.values).filter(|(name, _)| **name != HIDDEN);
        let object: Map<String, Value> = shown.map(|(name, value)| ((*name).to_owned(), json(value))).collect();
        Value::Object(object).to_string().into()
    }

    /// About the memory that it takes.
    pub fn bytes(&self) -> usize {
        let value = |value: &Stored| match value {
            Stored::Null | Stored::Integer(_) => 0,
            Stored::Text(text) => text.len(),
            Stored::Blob(bytes) => bytes.len(),
        };
        size_of::<Self>() + self.values.iter().map(|stored| size_of::<Stored>() + value(stored)).sum::<usize>()
    }
}

/// A list of paths as a JSON array; `None` for an empty one.
pub fn json_list(paths: &[Arc<str>]) -> Option<Text> {
    let list: Vec<Value> = paths.iter().map(|path| Value::from(&**path)).collect();
    (!list.is_empty()).then(|| Value::Array(list).to_string().into())
}

fn json(value: &Stored) -> Value {
    match value {
        Stored::Null => Value::Null,
        Stored::Integer(number) => (*number).into(),
        Stored::Text(text) => (&**text).into(),
        Stored::Blob(bytes) => hex(bytes).into(),
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

fn spelled(bytes: &[u8]) -> String {
    let mut spelled = hex(bytes);
    if bytes.len() == 16 {
        for at in [20, 16, 12, 8] {
            spelled.insert(at, '-');
        }
    }
    spelled
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLUMNS: &[&str] = &["id", "title", "at", "archived", "paths", "order", "remote_connection"];

    fn record(values: Vec<Stored>) -> Record {
        Record::new(1, COLUMNS, values)
    }

    #[test]
    fn a_record_is_read_by_name() {
        let text = |text: &str| Stored::Text(text.into());
        let id: Vec<u8> = (0xf0..=0xff).collect();
        let record = record(vec![
            Stored::Blob(id.into()),
            text(""),
            text("2026-03-01T09:01:05+00:00"),
            Stored::Integer(1),
            text("/w/a\n/w/b"),
            text("1,0"),
            text("{\"Ssh\":{\"password\":\"x\"}}"),
        ]);
        assert_eq!(record.id("id").as_deref(), Some("f0f1f2f3-f4f5-f6f7-f8f9-fafbfcfdfeff"));
        assert_eq!(record.text("title"), None);
        assert_eq!(record.time("at").map(|time| time.to_string()).as_deref(), Some("2026-03-01T09:01:05.000Z"));
        assert_eq!(record.time("id"), None);
        assert_eq!((record.flag("archived"), record.flag("title")), (Some(true), None));
        assert_eq!(record.folders("paths", "order"), [Arc::from("/w/b"), Arc::from("/w/a")]);
        assert_eq!(json_list(&record.folders("paths", "order")), Some(r#"["/w/b","/w/a"]"#.into()));
        assert_eq!(json_list(&record.folders("none", "order")), None);
        assert_eq!(
            record.raw(),
            concat!(
                r#"{"id":"f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff","title":"","at":"2026-03-01T09:01:05+00:00","#,
                r#""archived":1,"paths":"/w/a\n/w/b","order":"1,0"}"#
            )
        );
    }

    #[test]
    fn ids_of_other_shapes_pass() {
        let of = |stored| record(vec![stored]).id("id");
        assert_eq!(of(Stored::Text("AB-1".into())).as_deref(), Some("AB-1"));
        assert_eq!(of(Stored::Blob([1, 255].as_slice().into())).as_deref(), Some("01ff"));
        assert_eq!(of(Stored::Integer(7)).as_deref(), Some("7"));
        assert_eq!(of(Stored::Null), None);
    }
}
