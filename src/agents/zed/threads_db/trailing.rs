//! The columns behind the document, read with it.
//!
//! To reach them SQLite walks through the document's pages. A scan that reads all documents of a large store walks once
//! only, and one that stops early, or finds its rows kept, walks through few or none.

use super::{TABLE, Wanted};
use crate::error::Result;
use crate::store::sqlite::{Blob, Database, Param, Row};
use crate::time::Time;
use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::Arc;

/// A larger document is read by itself.
const MOST_BYTES: u32 = 256 << 10;

/// None of the columns.
pub const NOTHING: &str = ", NULL, NULL, NULL, NULL";

/// What stands behind the document in a row. What was not asked for, or is no column of this file, is `None`.
#[derive(Debug, Clone, Default)]
pub struct Trailing {
    /// The thread that started this one.
    pub parent_id: Option<Arc<str>>,
    /// Sorted paths, one a line.
    pub folder_paths: Option<String>,
    /// The user's order of them.
    pub folder_paths_order: Option<String>,
    /// When it was first saved, where it is a time.
    pub created_at: Option<Time>,
}

impl Trailing {
    /// Reads them from column `first` of an answer on.
    pub fn read(row: &Row<'_>, first: usize, wanted: Wanted) -> Self {
        // What was not asked for is NULL: not worth a look.
        let text = |column, is_wanted: bool| if is_wanted { row.text(first + column) } else { None };
        Self {
            parent_id: text(0, wanted.parent).map(Arc::from),
            folder_paths: text(1, wanted.folders).map(Cow::into_owned),
            folder_paths_order: text(2, wanted.folders).map(Cow::into_owned),
            created_at: text(3, wanted.created).and_then(|text| Time::parse_rfc3339(&text)),
        }
    }
}

/// The columns as an answer has them, NULL for those that are not asked for or not there.
pub fn trailing_columns(wanted: Wanted, has: impl Fn(&str) -> bool) -> String {
    let mut columns = String::new();
    for (name, is_wanted) in [
        ("parent_id", wanted.parent),
        ("folder_paths", wanted.folders),
        ("folder_paths_order", wanted.folders),
        ("created_at", wanted.created),
    ] {
        let _ = write!(columns, ", {}", if is_wanted && has(name) { name } else { "NULL" });
    }
    columns
}

/// A document, and what stands behind it where that was not read before.
pub struct Stored {
    /// The document.
    pub blob: Blob,
    /// What is behind it.
    pub trailing: Option<Trailing>,
}

/// How the columns are read later than the rows.
pub struct Late {
    columns: String,
    wanted: Wanted,
}

impl Late {
    /// `None` where none of them is asked for.
    pub fn new(wanted: Wanted, has: impl Fn(&str) -> bool) -> Option<Self> {
        let columns = trailing_columns(wanted, has);
        (columns != NOTHING).then_some(Self { columns, wanted })
    }

    /// The documents at these rows; `None` for one that is no blob of usual size.
    pub fn documents(&self, database: &mut Database, rowids: &[i64]) -> Result<Vec<(i64, Option<Stored>)>> {
        let places = vec!["?"; rowids.len()].join(", ");
        let data = format!("CASE WHEN typeof(data) = 'blob' AND length(data) <= {MOST_BYTES} THEN data END");
        let sql = format!("SELECT rowid, {data}{} FROM {TABLE} WHERE rowid IN ({places})", self.columns);
        let params: Vec<Param<'_>> = rowids.iter().map(|rowid| Param::Integer(*rowid)).collect();
        let read = |row: &Row<'_>| {
            let blob = row.bytes(1).map(|bytes| Blob::from(bytes.to_vec()));
            Ok((row.integer(0), blob.map(|blob| Stored { blob, trailing: Some(Trailing::read(row, 2, self.wanted)) })))
        };
        let mut found: HashMap<_, _> = database.query(&sql, &params, read)?.into_iter().collect();
        Ok(rowids.iter().map(|rowid| (*rowid, found.remove(&Some(*rowid)).flatten())).collect())
    }

    /// What is behind the document of a row; of the one with this id where the row is gone.
    pub fn trailing(&self, database: &mut Database, rowid: i64, id: Option<&str>) -> Result<Trailing> {
        // A column may have gone since the rows were read.
        let present = database.columns(TABLE)?;
        let has = |name: &str| present.iter().any(|column| column.eq_ignore_ascii_case(name));
        let columns = trailing_columns(self.wanted, has);
        let mut ask = |rest: &str, param| -> Result<Option<Trailing>> {
            let sql = format!("SELECT NULL{columns} FROM {TABLE} WHERE {rest} = ?1");
            let found = database.query(&sql, &[param], |row| Ok(Trailing::read(row, 1, self.wanted)))?;
            Ok(found.into_iter().next())
        };
        let found = match (ask("rowid", Param::Integer(rowid))?, id) {
            (None, Some(id)) => ask("id", Param::Text(id))?,
            (found, _) => found,
        };
        Ok(found.unwrap_or_default())
    }
}
