//! A scan that gives out rows in batches.

use super::database::Database;
use super::row::{Param, Row};
use crate::error::{Error, Result};

/// A scan by rowid that needs the memory of one batch only, and holds nothing of the store between batches.
///
/// Each batch is proven to come from one committed state; the next one goes on behind the last key, in whatever state
/// is the newest then. A row that stood through the whole scan is given exactly once. A row written meanwhile is
/// given or not; one that was replaced (`INSERT OR REPLACE` gives it a new rowid) may be given twice, so a scan over
/// a store with keys of its own takes the last row of a key. Where one state matters, [`Database::query`] reads the
/// narrow columns of all rows at once.
#[derive(Debug, Clone)]
pub struct Batches {
    sql: String,
    size: u32,
    /// The next key, `None` behind the last one.
    from: Option<i64>,
}

impl Batches {
    /// A scan with `sql`, which gives an integer key as its first column and reads
    /// `SELECT rowid, … FROM … WHERE rowid >= ?1 ORDER BY rowid LIMIT ?2`; at most `size` rows a batch.
    pub fn new(sql: impl Into<String>, size: u32) -> Self {
        Self { sql: sql.into(), size: size.max(1), from: Some(i64::MIN) }
    }

    /// The next batch; `None` when there are no more rows.
    ///
    /// # Errors
    /// As [`Database::query`]. The batch can be asked for again after an error.
    pub fn next<T>(
        &mut self,
        database: &mut Database,
        mut read: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Result<Option<Vec<T>>> {
        let Some(from) = self.from else { return Ok(None) };
        let params = [Param::Integer(from), Param::Integer(self.size.into())];
        let rows = database.query(&self.sql, &params, |row| {
            let key = row.integer(0).ok_or_else(|| Error::shape("the first column of a scan is no integer"))?;
            Ok((key, read(row)?))
        })?;
        let is_last = (rows.len() as u64) < u64::from(self.size);
        self.from = rows.last().filter(|_| !is_last).and_then(|(key, _)| key.checked_add(1));
        Ok((!rows.is_empty()).then(|| rows.into_iter().map(|(_, row)| row).collect()))
    }
}
