//! Stores to read, and a record of what a directory looks like.

use agent_history::error::Result;
use agent_history::store::sqlite::Database;
use rusqlite::Connection;
use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// What a folder holds.
pub type Listing = BTreeMap<String, (Vec<u8>, [i64; 6])>;

/// A fresh directory below `target/`, removed when it is dropped.
pub struct Folder(PathBuf);

impl Folder {
    /// `name` is unique among the tests.
    pub fn new(name: &str) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("overlay").join(name);
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    /// A path in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Name -> bytes, size, times and inode of everything in it, and the folder's own time.
    pub fn listing(&self) -> Listing {
        let mut all = BTreeMap::new();
        for entry in std::fs::read_dir(&self.0).unwrap() {
            let path = entry.unwrap().path();
            let it = std::fs::symlink_metadata(&path).unwrap();
            let bytes = if it.is_file() { std::fs::read(&path).unwrap_or_default() } else { Vec::new() };
            let times = [it.mtime(), it.mtime_nsec(), it.ctime(), it.ctime_nsec(), it.ino() as i64, it.size() as i64];
            all.insert(path.file_name().unwrap().to_string_lossy().into_owned(), (bytes, times));
        }
        let own = std::fs::metadata(&self.0).unwrap();
        all.insert(".".into(), (Vec::new(), [own.mtime(), own.mtime_nsec(), own.ctime(), own.ctime_nsec(), 0, 0]));
        all
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A store with `t(id INTEGER PRIMARY KEY, v TEXT)` and `rows` rows of 300 bytes.
pub fn store(path: &Path, is_wal: bool, rows: u32) -> Connection {
    let db = Connection::open(path).unwrap();
    if is_wal {
        db.execute_batch("PRAGMA journal_mode=wal; PRAGMA wal_autocheckpoint=0").unwrap();
    }
    db.execute_batch("CREATE TABLE t(id INTEGER PRIMARY KEY, v TEXT)").unwrap();
    add(&db, rows);
    db
}

/// `rows` more rows.
pub fn add(db: &Connection, rows: u32) {
    let sql = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
               INSERT INTO t(v) SELECT printf('%.300c', 'x') FROM n";
    if rows > 0 {
        db.execute(sql, [rows]).unwrap();
    }
}

/// How many rows `t` has.
pub const ROWS: &str = "SELECT count(*) FROM t";

/// What [`ROWS`] gives through the overlay.
pub fn count(path: &Path) -> Result<i64> {
    one(&mut Database::open(path)?, ROWS)
}

/// The one integer that a question gives.
pub fn one(database: &mut Database, sql: &str) -> Result<i64> {
    Ok(database.query(sql, &[], |row| Ok(row.integer(0).unwrap()))?[0])
}
