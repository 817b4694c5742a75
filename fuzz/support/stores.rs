//! One store twice: read by us, and, from a copy, by SQLite itself. Where both answer, the answers are the same.

use agent_history::store::sqlite::Database;
use rusqlite::Connection;
use std::path::{Path, PathBuf};

const QUESTION: &str = "SELECT a, length(b) FROM t";

type Rows = Vec<(Option<i64>, Option<i64>)>;

/// The store, and where its two copies stand.
pub struct Stores {
    ours: PathBuf,
    theirs: PathBuf,
    main: Vec<u8>,
}

impl Stores {
    /// `name` is the target's, `mode` the store's journal mode.
    pub fn new(name: &str, mode: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("agent-history-fuzz-{name}-{}", std::process::id()));
        let of = |side: &str| {
            std::fs::create_dir_all(folder.join(side)).expect("a folder for the store");
            folder.join(side).join("store.db")
        };
        let (ours, theirs) = (of("ours"), of("theirs"));
        let db = Connection::open(&ours).expect("a store");
        db.execute_batch(include_str!("../store.sql")).expect("rows");
        db.pragma_update(None, "journal_mode", mode).expect("a journal mode");
        drop(db);
        let main = std::fs::read(&ours).expect("the store");
        Self { ours, theirs, main }
    }

    /// Reads the store with `main` changed and `bytes` in the file that the suffix names.
    pub fn compare(&self, change: impl FnOnce(&mut [u8]), sidecar: Option<(&str, &[u8])>) {
        let mut main = self.main.clone();
        change(&mut main);
        for path in [&self.ours, &self.theirs] {
            for suffix in ["-wal", "-shm", "-journal"] {
                let _ = std::fs::remove_file(beside(path, suffix));
            }
            std::fs::write(path, &main).expect("the store");
            if let Some((suffix, bytes)) = sidecar {
                std::fs::write(beside(path, suffix), bytes).expect("a log or a journal");
            }
        }
        if let (Some(ours), Some(theirs)) = (ours(&self.ours), theirs(&self.theirs)) {
            assert_eq!(ours, theirs, "ours, and SQLite's");
        }
    }
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    PathBuf::from(format!("{}{suffix}", path.display()))
}

fn ours(path: &Path) -> Option<Rows> {
    let mut database = Database::open(path).ok()?;
    let rows = database.query(QUESTION, &[], |row| Ok((row.integer(0), row.integer(1)))).ok();
    if let Ok(mut blob) = database.blob("t", "b", 60) {
        let _ = blob.fill(&mut [0; 64]);
    }
    rows
}

fn theirs(path: &Path) -> Option<Rows> {
    let db = Connection::open(path).ok()?;
    db.execute_batch("PRAGMA synchronous = OFF").ok()?;
    let mut statement = db.prepare(QUESTION).ok()?;
    let integer = |row: &rusqlite::Row<'_>, column: usize| match row.get_ref(column) {
        Ok(rusqlite::types::ValueRef::Integer(number)) => Some(number),
        _ => None,
    };
    let rows = statement.query_map([], |row| Ok((integer(row, 0), integer(row, 1)))).ok()?;
    rows.collect::<rusqlite::Result<_>>().ok()
}

/// Writes a big-endian word.
pub fn put(bytes: &mut [u8], offset: usize, word: u32) {
    bytes[offset..offset + 4].copy_from_slice(&word.to_be_bytes());
}

/// Reads one.
pub fn word(bytes: &[u8], offset: usize) -> u32 {
    bytes[offset..offset + 4].try_into().map_or(0, u32::from_be_bytes)
}
