//! The rows of the table: how the store is written, how it is opened, what is asked.

use crate::writer::{ACCOUNTS, BIG, Manner};
use agent_history::store::sqlite::{Batches, Database};
use rusqlite::{Connection, OpenFlags};
use std::path::{Path, PathBuf};

/// How the reader opens the store.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// Ours.
    Overlay,
    /// An ordinary read-only connection.
    ReadOnly,
    /// `immutable=1`.
    Immutable,
}

/// What it asks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Question {
    /// Sums over all accounts, and `PRAGMA integrity_check`.
    Full,
    /// The same through a new connection each time.
    Cold,
    /// One account by key.
    Key,
    /// All accounts in batches.
    Batches,
    /// The large value, in pieces.
    Big,
}

/// A row of the table.
pub struct Case {
    pub way: Way,
    pub question: Question,
    pub manner: Manner,
}

const fn case(way: Way, journal: &'static str, question: Question) -> Case {
    Case { way, question, manner: Manner { journal, shrinks: false, has_big: false, checkpoint: 20, rest: 0 } }
}

const fn big(way: Way, journal: &'static str, rest: u64) -> Case {
    let mut case = case(way, journal, Question::Big);
    case.manner.rest = rest;
    case.manner.has_big = true;
    case
}

/// Checkpoints as rarely as SQLite makes them by itself.
const fn usual(mut case: Case) -> Case {
    case.manner.checkpoint = 1000;
    case
}

const fn shrinking(mut case: Case) -> Case {
    case.manner.shrinks = true;
    case
}

/// All rows.
pub const CASES: &[Case] = &[
    case(Way::Overlay, "wal", Question::Full),
    case(Way::Overlay, "wal", Question::Cold),
    case(Way::Overlay, "wal", Question::Key),
    case(Way::Overlay, "wal", Question::Batches),
    shrinking(case(Way::Overlay, "wal", Question::Full)),
    usual(case(Way::Overlay, "wal", Question::Full)),
    usual(big(Way::Overlay, "wal", 5)),
    case(Way::Overlay, "delete", Question::Full),
    case(Way::Overlay, "delete", Question::Cold),
    case(Way::Overlay, "delete", Question::Key),
    shrinking(case(Way::Overlay, "delete", Question::Full)),
    big(Way::Overlay, "delete", 20),
    case(Way::Overlay, "truncate", Question::Full),
    case(Way::Overlay, "persist", Question::Full),
    case(Way::Overlay, "memory", Question::Full),
    case(Way::Overlay, "off", Question::Full),
    case(Way::ReadOnly, "wal", Question::Full),
    case(Way::ReadOnly, "delete", Question::Full),
    case(Way::Immutable, "wal", Question::Full),
    case(Way::Immutable, "delete", Question::Full),
];

impl Case {
    /// As the table names it.
    pub fn name(&self) -> String {
        let way = match self.way {
            Way::Overlay => "",
            Way::ReadOnly => ", mode=ro",
            Way::Immutable => ", immutable=1",
        };
        let shrinks = if self.manner.shrinks { ", shrinking" } else { "" };
        let usual = if self.manner.checkpoint == 1000 { ", checkpoint 1000" } else { "" };
        format!("{}{usual}{shrinks}, {:?}{way}", self.manner.journal, self.question)
    }
}

const FULL: &str = "SELECT (SELECT count(*) || ',' || sum(n) FROM acct) || ',' ||
    (SELECT group_concat(integrity_check, ';') FROM pragma_integrity_check)";

/// A reader at work.
pub struct Ask<'case> {
    case: &'case Case,
    path: PathBuf,
    database: Option<Database>,
    asked: u32,
}

impl<'case> Ask<'case> {
    pub fn new(case: &'case Case, path: &Path) -> Self {
        Self { case, path: path.to_owned(), database: None, asked: 0 }
    }

    /// One question: was the answer right?
    pub fn once(&mut self) -> Result<bool, String> {
        self.asked += 1;
        if self.case.way != Way::Overlay {
            return self.other_way().map_err(|error| error.to_string().replace("database is locked", "busy: locked"));
        }
        if self.case.question == Question::Cold {
            self.database = None;
        }
        let mut database = match self.database.take() {
            Some(database) => database,
            None => Database::open(&self.path).map_err(|error| error.to_string())?,
        };
        let answer = ask(&mut database, self.case.question, self.asked);
        self.database = Some(database);
        answer.map_err(|error| error.to_string())
    }

    fn other_way(&self) -> rusqlite::Result<bool> {
        let immutable = if self.case.way == Way::Immutable { "&immutable=1" } else { "" };
        let uri = format!("file:{}?mode=ro{immutable}", self.path.display());
        let db = Connection::open_with_flags(uri, OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI)?;
        db.execute_batch("PRAGMA busy_timeout=0")?;
        Ok(db.query_row(FULL, [], |row| row.get::<_, String>(0))? == "2000,200000,ok")
    }
}

fn ask(database: &mut Database, question: Question, asked: u32) -> agent_history::error::Result<bool> {
    match question {
        Question::Full | Question::Cold => {
            let rows = database.query(FULL, &[], |row| Ok(row.text(0).unwrap_or_default().into_owned()))?;
            Ok(rows == ["2000,200000,ok"])
        }
        Question::Key => {
            let key = i64::from(asked % ACCOUNTS + 1);
            let rows = database.query("SELECT id, length(pad) FROM acct WHERE id = ?1", &[key.into()], |row| {
                Ok((row.integer(0), row.integer(1).is_some_and(|len| len == 200 || len == 120)))
            })?;
            Ok(rows == [(Some(key), true)])
        }
        Question::Batches => {
            let mut batches = Batches::new("SELECT id FROM acct WHERE id >= ?1 ORDER BY id LIMIT ?2", 300);
            let mut keys = Vec::new();
            while let Some(batch) = batches.next(database, |row| Ok(row.integer(0).unwrap_or(0)))? {
                keys.extend(batch);
            }
            Ok(keys.into_iter().eq(1..=i64::from(ACCOUNTS)))
        }
        Question::Big => {
            let bytes = database.blob("big", "v", 1)?.into_bytes()?;
            Ok(bytes.len() == BIG && bytes.iter().all(|byte| byte == &bytes[0]))
        }
    }
}
