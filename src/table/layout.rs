//! The order of a table's columns: the row kind's own, provenance, `error`, then the hidden ones, `root` first.

use super::column::{Access, Cell, Column, Type};
use super::heads::Heads;
use super::row::{Row, Source};
use std::borrow::Cow;
use std::fmt::Write as _;

/// Where a declared column's cell comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum From {
    Row(usize),
    Path,
    Record,
    Pointer,
    Error,
    Root,
}

const fn provenance(name: &'static str, doc: &'static str, access: Access) -> Column {
    Column { name, ty: Type::Text, doc, access, is_short: true }
}

const PROVENANCE: [(From, Column); 5] = [
    (
        From::Path,
        provenance("source_path", "The file that the row was read from. NULL where no file was.", Access::Plain),
    ),
    (
        From::Record,
        provenance(
            "source_record",
            "The record's own key in that file: a rowid, a chat id, a settings key. NULL where the file is the record.",
            Access::Plain,
        ),
    ),
    (
        From::Pointer,
        provenance(
            "source_pointer",
            "JSON pointer (or XML path) of the row inside its record. Empty for the record itself.",
            Access::Plain,
        ),
    ),
    (
        From::Error,
        provenance(
            "error",
            "Why the record did not decode, `<token>: <what> (<file>, record <key>, <pointer>)`. NULL when it did, and where nothing that was asked for needed the damaged part: `agent_errors` lists every fault.",
            Access::Plain,
        ),
    ),
    (
        From::Root,
        provenance(
            "root",
            "Where to look: a home directory, a store file, or a folder that holds such files; `*` may stand in a path component. Echoes its argument. NULL for the user's own home.",
            Access::Hidden,
        ),
    ),
];

/// A table's columns in declared order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    columns: Vec<Column>,
    from: Vec<From>,
}

impl Layout {
    /// The layout of a row kind with these columns.
    pub fn of(row: Vec<Column>) -> Self {
        let own = row.into_iter().enumerate().map(|(index, column)| (From::Row(index), column));
        let (hidden, shown): (Vec<_>, Vec<_>) = own.partition(|(_, column)| column.access == Access::Hidden);
        let all = shown.into_iter().chain(PROVENANCE).chain(hidden);
        let (from, columns) = all.unzip();
        Self { columns, from }
    }

    /// The columns.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The position of a column.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name == name)
    }

    /// The row kind's own index of a column; `None` for provenance.
    pub fn index_in_row(&self, position: usize) -> Option<usize> {
        match self.from.get(position) {
            Some(From::Row(index)) => Some(*index),
            _ => None,
        }
    }

    /// How many columns are not hidden; they stand in front.
    pub fn shown(&self) -> usize {
        self.columns.iter().filter(|column| column.access != Access::Hidden).count()
    }

    /// A cell of `row`.
    pub fn cell<'a>(&self, row: &'a impl Row, index: usize) -> Cell<'a> {
        match self.from.get(index) {
            Some(From::Row(index)) => row.cell(*index),
            _ => self.provenance(row.source(), index),
        }
    }

    /// A cell of one of the rows that `row` stands for.
    pub fn head<'a>(&self, row: &'a impl Row, heads: &'a Heads, at: usize, index: usize) -> Cell<'a> {
        match self.from.get(index) {
            Some(From::Row(_)) => heads.cell(at, index).unwrap_or(Cell::Null),
            Some(From::Pointer | From::Error) => self.provenance(&heads.source(at, row.source()), index).into_owned(),
            _ => self.provenance(row.source(), index),
        }
    }

    fn provenance<'a>(&self, source: &'a Source, index: usize) -> Cell<'a> {
        match self.from.get(index) {
            Some(From::Path) if source.path().is_empty() => Cell::Null,
            Some(From::Path) => Cell::Text(Cow::Borrowed(source.path())),
            Some(From::Record) => source.key().map_or(Cell::Null, |key| Cell::Text(key.into())),
            Some(From::Pointer) => Cell::Pointer(&source.pointer),
            Some(From::Error) => source.error.as_ref().map_or(Cell::Null, |error| Cell::Text(error.to_string().into())),
            Some(From::Root) => source.root().map_or(Cell::Null, |root| Cell::Text(root.into())),
            Some(From::Row(_)) | None => Cell::Null,
        }
    }

    /// `CREATE TABLE name(…)` as SQLite is told it. A created table has no hidden columns: browsers show them as
    /// empty ones, and `root` is its argument.
    pub fn create_sql(&self, name: &str, with_hidden: bool) -> String {
        let mut sql = format!("CREATE TABLE {name}(");
        let shown = if with_hidden { self.columns.len() } else { self.shown() };
        for (index, column) in self.columns.iter().take(shown).enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            let hidden = if column.access == Access::Hidden { " HIDDEN" } else { "" };
            let _ = write!(sql, "{comma}\"{}\" {}{hidden}", column.name, column.ty.keyword());
        }
        sql.push(')');
        sql
    }
}
