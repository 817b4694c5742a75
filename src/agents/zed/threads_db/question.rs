//! The question for the rows of a store.

use super::trailing::{Late, NOTHING, Trailing, trailing_columns};
use super::{Asked, Head, TABLE, Wanted};
use crate::error::{Error, Kind, Result};
use crate::store::sqlite::{Database, Param, Row};
use crate::table::Scan;
use crate::time::Time;
use std::cell::RefCell;
use std::fmt::Write as _;
use std::sync::Arc;

/// More keys than this are sought in a scan of all rows.
const MOST_KEYS: usize = 500;

/// Of a BLOB the length stands in front of the row; of text the characters would be counted.
const BYTES: &str = ", CASE typeof(data) WHEN 'blob' THEN length(data) ELSE length(CAST(data AS BLOB)) END";

/// The question for a store's rows.
pub struct Question {
    columns: String,
    wanted: Wanted,
    /// The last row's type: nearly all have the same.
    data_type: RefCell<Option<Arc<str>>>,
    has_parent_column: bool,
    keys: Option<Vec<String>>,
}

impl Question {
    /// `None` where the store has no threads at all: a file that Zed made and never filled.
    pub fn new(database: &mut Database, scan: &Scan, asked: &Asked, late: &mut Option<Late>) -> Result<Option<Self>> {
        let present = database.columns(TABLE)?;
        if present.is_empty() {
            return Ok(None);
        }
        let has = |name: &str| present.iter().any(|column| column.eq_ignore_ascii_case(name));
        if let Some(missing) = ["id", "data"].into_iter().find(|name| !has(name)) {
            return Err(Error::shape(format!("the table {TABLE} has no column {missing}")));
        }
        let mut wanted = asked.wanted;
        let mut columns = String::from("rowid, id");
        for (name, is_wanted) in [("updated_at", true), ("data_type", true), ("summary", wanted.title)] {
            let _ = write!(columns, ", {}", if is_wanted && has(name) { name } else { "NULL" });
        }
        columns.push_str(if wanted.bytes { BYTES } else { ", NULL" });
        let trailing = Late::new(wanted, has);
        match trailing.filter(|_| asked.is_late(database.path())) {
            Some(trailing) => {
                *late = Some(trailing);
                wanted = wanted.without_trailing();
                columns.push_str(NOTHING);
            }
            None => columns.push_str(&trailing_columns(wanted, has)),
        }
        let keys = scan.keys("session_id");
        let (has_parent_column, data_type) = (has("parent_id"), RefCell::default());
        Ok(Some(Self { columns, wanted, data_type, has_parent_column, keys }))
    }

    /// All rows that are asked for. A part of the table that cannot be read is one error among them.
    pub fn heads(&self, database: &mut Database) -> Vec<Result<Head>> {
        let all = match &self.keys {
            Some(keys) if keys.len() <= MOST_KEYS => self.keyed(database, keys),
            _ => self.ask(database, "ORDER BY rowid", &[]),
        };
        match all {
            Ok(heads) => heads.into_iter().filter(|head| self.is_asked(head)).map(Ok).collect(),
            Err(error) if error.kind() == Kind::Sqlite => self.salvaged(database, error),
            Err(error) => vec![Err(error)],
        }
    }

    fn is_asked(&self, head: &Head) -> bool {
        let is_key = |id: &Arc<str>, keys: &Vec<String>| keys.iter().any(|key| **key == **id);
        self.keys.as_ref().is_none_or(|keys| head.session_id.as_ref().is_some_and(|id| is_key(id, keys)))
    }

    /// By the table's own index. A key stored as bytes equals no text, so both are asked for.
    fn keyed(&self, database: &mut Database, keys: &[String]) -> Result<Vec<Head>> {
        let places = vec!["?, ?"; keys.len()].join(", ");
        let params: Vec<Param<'_>> =
            keys.iter().flat_map(|key| [Param::Text(key), Param::Blob(key.as_bytes())]).collect();
        self.ask(database, &format!("WHERE id IN ({places}) ORDER BY rowid"), &params)
    }

    fn ask(&self, database: &mut Database, rest: &str, params: &[Param<'_>]) -> Result<Vec<Head>> {
        let sql = format!("SELECT {} FROM {TABLE} {rest}", self.columns);
        database.query(&sql, params, |row| Ok(self.head(row)))
    }

    /// Row by row from both ends, for a store with a damaged page: what is left, and the error between.
    fn salvaged(&self, database: &mut Database, error: Error) -> Vec<Result<Head>> {
        let mut front = Vec::new();
        let mut last = i64::MIN;
        while let Ok(heads) = self.ask(database, "WHERE rowid > ?1 ORDER BY rowid LIMIT 1", &[last.into()]) {
            let Some(head) = heads.into_iter().next() else { break };
            last = head.rowid;
            front.push(head);
        }
        let mut back = Vec::new();
        let mut first = i64::MAX;
        while let Ok(heads) = self.ask(
            database,
            "WHERE rowid > ?1 AND rowid < ?2 ORDER BY rowid DESC LIMIT 1",
            &[last.into(), first.into()],
        ) {
            let Some(head) = heads.into_iter().next() else { break };
            first = head.rowid;
            back.push(head);
        }
        let asked = |heads: Vec<Head>| heads.into_iter().filter(|head| self.is_asked(head)).map(Ok);
        let missing = std::iter::once(Err(error));
        asked(front).chain(missing).chain(asked(back.into_iter().rev().collect())).collect()
    }

    fn head(&self, row: &Row<'_>) -> Head {
        // What was not asked for is NULL: not worth a look.
        let text = |column, is_wanted: bool| if is_wanted { row.text(column) } else { None };
        let shared = |column, is_wanted| text(column, is_wanted).map(Arc::<str>::from);
        let time = |column, is_wanted| text(column, is_wanted).and_then(|text| Time::parse_rfc3339(&text));
        let wanted = self.wanted;
        Head {
            rowid: row.integer(0).unwrap_or_default(),
            session_id: shared(1, true),
            updated_at: time(2, true),
            data_type: row.text(3).map(|text| self.data_type(&text)),
            title: shared(4, wanted.title),
            blob_bytes: row.integer(5),
            has_parent_column: self.has_parent_column,
            trailing: Trailing::read(row, 6, wanted),
        }
    }

    fn data_type(&self, text: &str) -> Arc<str> {
        let mut last = self.data_type.borrow_mut();
        match &*last {
            Some(last) if **last == *text => Arc::clone(last),
            _ => Arc::clone(last.insert(text.into())),
        }
    }
}
