//! A `threads.db` that a test fills itself, where a fixture would be too large or has to change while it is read.

use super::Result;
use rusqlite::{Connection, params};
use std::fs;
use std::path::Path;

/// The table's five columns since its first release; later ones are added by the tests that need them.
const SCHEMA: &str = "CREATE TABLE threads (id TEXT PRIMARY KEY, summary TEXT NOT NULL, updated_at TEXT NOT NULL, \
                      data_type TEXT NOT NULL, data BLOB NOT NULL)";

/// An empty store in a folder, in the place of one that stood there. The connection writes as Zed does: it does not
/// wait for a lock.
pub fn create(folder: &Path) -> Result<Connection> {
    fs::create_dir_all(folder)?;
    for name in ["threads.db", "threads.db-wal", "threads.db-shm", "threads.db-journal"] {
        fs::remove_file(folder.join(name)).ok();
    }
    let db = Connection::open(folder.join("threads.db"))?;
    db.busy_timeout(std::time::Duration::ZERO)?;
    db.execute_batch(SCHEMA)?;
    Ok(db)
}

/// Saves a thread whose document is packed already, in the place of the one with its id, which is its summary too.
pub fn save_packed(db: &Connection, id: &str, data: &[u8]) -> Result<()> {
    let sql = "INSERT INTO threads VALUES (?1, ?1, '2026-07-01T08:00:00Z', 'zstd', ?2) \
               ON CONFLICT (id) DO UPDATE SET data = excluded.data";
    db.execute(sql, params![id, data])?;
    Ok(())
}

/// [`save_packed`] of a document's text.
pub fn save(db: &Connection, id: &str, document: &str) -> Result<()> {
    save_packed(db, id, &zstd::encode_all(document.as_bytes(), 3)?)
}
