//! Reading one table of `db.sqlite` whole.

use super::record::{Record, Stored};
use crate::error::{Error, Result};
use crate::store::sqlite::{Database, Param, Stamp, pool};
use crate::table::{Session, Setting};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// A table as Zed creates it.
#[derive(Debug)]
pub struct PanelTable {
    /// Its name.
    pub name: &'static str,
    /// The columns that are read, where the file has them. Others are not known, and may hold credentials.
    pub columns: &'static [&'static str],
    /// The one value of a column whose rows are read: a key-value table holds all kinds of things.
    pub only: Option<(&'static str, &'static str)>,
    /// Tells its rows from those of the file's other tables.
    pub part: u32,
}

/// The rows of a table.
#[derive(Debug, Default)]
pub struct Listing {
    /// In the order of rowids.
    pub records: Vec<Record>,
    /// Why there are no more.
    pub error: Option<Error>,
    bytes: usize,
    /// Where the records of a session stand, once somebody asked for one: a join asks for one after the other.
    by_session: OnceLock<HashMap<Arc<str>, Vec<usize>>>,
}

impl Listing {
    /// The records of some sessions, in the order of rowids.
    pub fn of_sessions(&self, keys: &[String]) -> Vec<&Record> {
        let by_session = self.by_session.get_or_init(|| {
            let mut by_session: HashMap<Arc<str>, Vec<usize>> = HashMap::new();
            for (at, record) in self.records.iter().enumerate() {
                if let Some(id) = record.id("session_id") {
                    by_session.entry(id).or_default().push(at);
                }
            }
            by_session
        });
        let mut found: Vec<usize> = keys.iter().filter_map(|key| by_session.get(key.as_str())).flatten().copied().collect();
        found.sort_unstable();
        found.into_iter().filter_map(|at| self.records.get(at)).collect()
    }

    fn add(&mut self, rows: Vec<Record>, table: &PanelTable, most: usize) -> Result<()> {
        self.bytes += rows.iter().map(Record::bytes).sum::<usize>();
        self.records.extend(rows);
        if self.bytes <= most {
            return Ok(());
        }
        Err(Error::limit(format!("the table {} holds more than {most} bytes", table.name), "max_document_bytes"))
    }

    /// No rows, and why.
    pub fn failed(error: Error) -> Self {
        Self { error: Some(error), ..Self::default() }
    }
}

/// What was read, by file and table, while the store stands still.
#[derive(Default)]
struct Kept(Mutex<HashMap<Key, (Stamp, Arc<Listing>)>>);

type Key = (PathBuf, u32);

/// Tables that are kept; more belong to more homes than one looks at.
const MAX_KEPT: usize = 64;

/// Rows that are asked for at once.
const BATCH: i64 = 512;

/// The rows of `table` in the file at `path`; none when there is no such table.
///
/// # Errors
/// The file is no database, or cannot be read.
pub fn list(session: &Arc<Session>, path: &Path, table: &'static PanelTable) -> Result<Arc<Listing>> {
    let kept = session.slot::<Kept>();
    let key = (path.to_owned(), table.part);
    pool::with(session, path, |database| {
        let stamp = database.stamp()?;
        let lock = || kept.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, listing)) = lock().get(&key).filter(|(then, _)| *then == stamp) {
            return Ok(Arc::clone(listing));
        }
        let most = usize::try_from(session.setting(Setting::MaxDocumentBytes)).unwrap_or(0);
        let listing = Arc::new(read(database, table, most));
        let budget = usize::try_from(session.setting(Setting::CacheBytes)).unwrap_or(0) / 8;
        if listing.bytes <= budget && database.stamp()? == stamp {
            let mut kept = lock();
            if kept.len() >= MAX_KEPT {
                kept.clear();
            }
            kept.insert(key, (stamp, Arc::clone(&listing)));
        }
        Ok(listing)
    })
}

fn read(database: &mut Database, table: &'static PanelTable, most: usize) -> Listing {
    let mut listing = Listing::default();
    listing.error = fill(database, table, most, &mut listing).err();
    listing
}

/// Reads until the end, or until what is broken; the rows before and behind that stand.
fn fill(database: &mut Database, table: &'static PanelTable, most: usize, listing: &mut Listing) -> Result<()> {
    let Some(question) = Question::new(&database.columns(table.name)?, table) else { return Ok(()) };
    let (mut after, mut size) = (i64::MIN, BATCH);
    loop {
        match question.ask(database, (after, i64::MAX), size, "") {
            Ok(rows) => {
                let is_last = rows.len() < usize::try_from(size).unwrap_or(usize::MAX);
                after = rows.last().map_or(after, |record| record.rowid);
                listing.add(rows, table, most)?;
                if is_last {
                    return Ok(());
                }
            }
            // One bad row costs its whole batch: closer to it, in smaller ones.
            Err(_) if size > 1 => size /= 8,
            Err(error) => {
                question.salvage(database, after, most, listing)?;
                return Err(error);
            }
        }
    }
}

/// What is asked of a table.
struct Question {
    table: &'static PanelTable,
    columns: String,
}

impl Question {
    /// `None` when there is no such table.
    fn new(there: &[String], table: &'static PanelTable) -> Option<Self> {
        let name = |column: &&str| {
            let is_there = there.iter().any(|name| name.eq_ignore_ascii_case(column));
            if is_there { format!("\"{column}\"") } else { "NULL".to_owned() }
        };
        let columns: Vec<String> = table.columns.iter().map(name).collect();
        (!there.is_empty()).then(|| Self { table, columns: columns.join(", ") })
    }

    /// Some rows behind the first rowid and before, or at, the second.
    fn ask(&self, database: &mut Database, between: (i64, i64), size: i64, order: &str) -> Result<Vec<Record>> {
        let Self { table, columns } = self;
        let only = table.only.map_or_else(|| "?4 IS NULL".to_owned(), |(column, _)| format!("\"{column}\" = ?4"));
        let sql = format!(
            "SELECT rowid, {columns} FROM \"{}\" WHERE rowid > ?1 AND rowid <= ?2 AND {only} ORDER BY rowid {order} LIMIT ?3",
            table.name
        );
        let only = table.only.map_or(Param::Null, |(_, value)| Param::Text(value));
        let params = [Param::Integer(between.0), Param::Integer(between.1), Param::Integer(size), only];
        database.query(&sql, &params, |row| {
            let rowid = row.integer(0).ok_or_else(|| Error::shape("expected a table with rowids"))?;
            let values = (1..=table.columns.len()).map(|column| Stored::read(row, column)).collect();
            Ok(Record::new(rowid, table.columns, values))
        })
    }

    /// The rows behind what is broken, one by one from the end.
    fn salvage(&self, database: &mut Database, after: i64, most: usize, listing: &mut Listing) -> Result<()> {
        let (mut last, mut bytes, mut rows) = (i64::MAX, 0, Vec::new());
        while let Ok(row) = self.ask(database, (after, last), 1, "DESC") {
            let Some(record) = row.into_iter().next() else { break };
            last = record.rowid.saturating_sub(1);
            bytes += record.bytes();
            rows.push(record);
            if bytes > most {
                break;
            }
        }
        rows.reverse();
        listing.add(rows, self.table, most)
    }
}
