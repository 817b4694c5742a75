//! The columns of a store's tables: which are there differs from file to file.

use super::database::{Database, Stamp, quoted};
use crate::error::{Error, Result};
use std::collections::HashMap;

/// The columns of tables that were asked for, and the state that they belong to.
#[derive(Default)]
pub struct KnownTables {
    state: Option<Stamp>,
    columns: HashMap<String, Vec<String>>,
}

impl Database {
    /// The names of the columns of `table`, in order; empty when there is no such table. SQLite is asked once for each
    /// state of the store.
    ///
    /// # Errors
    /// [`Kind::Shape`](crate::error::Kind::Shape) for anything but a plain table: a view, a virtual table or a generated column would run the
    /// store's own code. Otherwise as [`Self::query`].
    pub fn columns(&mut self, table: &str) -> Result<Vec<String>> {
        if self.tables.columns.contains_key(table) {
            let newest = self.stamp()?;
            let known = self.tables.columns.get(table).filter(|_| self.tables.state == Some(newest));
            if let Some(columns) = known {
                return Ok(columns.clone());
            }
        }
        let kind = self.table_kind(table)?;
        let before = self.proven().cloned();
        let columns = if kind.is_some() { self.table_columns(table)? } else { Vec::new() };
        // Both answers are of one state, or nothing is known of either.
        if before.is_some() && before.as_ref() == self.proven() {
            if self.tables.state != before {
                self.tables = KnownTables { state: before, columns: HashMap::new() };
            }
            self.tables.columns.insert(table.to_owned(), columns.clone());
        }
        Ok(columns)
    }

    /// `table`, or `shadow`; `None` when there is no such table.
    fn table_kind(&mut self, table: &str) -> Result<Option<String>> {
        // What SQLite made of the schema's text, not what the schema table says of it: that can be forged.
        let question = format!("PRAGMA main.table_list({})", quoted(table));
        let kinds = self.query(&question, &[], |row| Ok(row.text(2).unwrap_or_default().into_owned()))?;
        match kinds.into_iter().next() {
            Some(kind) if kind == "virtual" => Err(self.not_plain(table, "is a virtual table")),
            Some(kind) if kind != "table" && kind != "shadow" => Err(self.not_plain(table, &format!("is a {kind}"))),
            plain => Ok(plain),
        }
    }

    fn table_columns(&mut self, table: &str) -> Result<Vec<String>> {
        let question = format!("PRAGMA main.table_xinfo({})", quoted(table));
        let columns = self.query(&question, &[], |row| {
            Ok((row.text(1).unwrap_or_default().into_owned(), row.integer(6).unwrap_or(0) == 0))
        })?;
        match columns.iter().find(|(_, is_stored)| !is_stored) {
            Some((name, _)) => Err(self.not_plain(&format!("{table}.{name}"), "is a generated column")),
            None => Ok(columns.into_iter().map(|(name, _)| name).collect()),
        }
    }

    fn not_plain(&self, what: &str, is: &str) -> Error {
        Error::shape(format!("{what} {is}")).in_file(self.path().display().to_string())
    }
}
