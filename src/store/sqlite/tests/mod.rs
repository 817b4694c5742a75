//! Each proof, each trap: made to happen by hand, in the order that hurts.

mod hostile;
mod proofs;
mod super_journal;
mod ticking;
mod traps;

use super::host::{HostFile, read_whole};
use super::state::{Clock, Files, Proof, Refusal, State};
use rusqlite::Connection;
use std::path::{Path, PathBuf};

/// A fresh directory, removed when it is dropped, with a store `a.db` in it.
struct Scene {
    folder: PathBuf,
    path: PathBuf,
}

impl Scene {
    /// `name` is unique among the tests.
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("agent-history-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        let folder = folder.canonicalize().unwrap();
        Self { path: folder.join("a.db"), folder }
    }

    /// A connection to the store, after `pragmas`.
    fn writer(&self, pragmas: &str) -> Connection {
        let db = Connection::open(&self.path).unwrap();
        db.execute_batch(pragmas).unwrap();
        db
    }

    /// A write-ahead store whose `rows` rows are all in the main file, and one committed row in the log.
    fn with_log(&self, pragmas: &str, rows: u32) -> Connection {
        let db = self.writer(&format!("{pragmas}; PRAGMA journal_mode=wal; PRAGMA wal_autocheckpoint=0"));
        fill(&db, rows);
        db.execute_batch("PRAGMA wal_checkpoint(truncate); CREATE TABLE small(x)").unwrap();
        db
    }

    fn sidecar(&self, suffix: &str) -> PathBuf {
        self.folder.join(format!("a.db{suffix}"))
    }

    /// A look at the store from below SQLite.
    fn look(&self) -> Look {
        Look { files: Files::of(self.path.clone()), main: HostFile::open(&self.path).unwrap(), clock: Clock::Exact }
    }

    /// The store's files as they are now under another name: a power cut.
    fn copy(&self, name: &str) -> PathBuf {
        let copy = self.folder.join(name);
        for suffix in ["", "-journal", "-wal"] {
            if let Ok(bytes) = read_whole(&self.sidecar(suffix), 1 << 30) {
                std::fs::write(self.folder.join(format!("{name}{suffix}")), bytes).unwrap();
            }
        }
        copy
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

struct Look {
    files: Files,
    main: HostFile,
    clock: Clock,
}

impl Look {
    fn build(&self) -> Proof<State> {
        State::build(&self.files, &self.main, self.clock)
    }

    fn state(&self) -> State {
        self.build().unwrap()
    }

    fn read(&self, state: &mut State, page: u32) -> Vec<u8> {
        let mut bytes = vec![0; state.page_size() as usize];
        assert!(state.read_page(&self.main, page, &mut bytes).unwrap(), "page {page} is there");
        bytes
    }

    /// The page's bytes in the main file itself.
    fn in_main(&self, page: u32) -> Vec<u8> {
        use super::state::bytes::ReadAt;
        let mut bytes = vec![0; 4096];
        self.main.read_at(&mut bytes, u64::from(page - 1) * 4096).unwrap();
        bytes
    }
}

/// `t(id INTEGER PRIMARY KEY, v TEXT)` with `rows` rows of 300 bytes.
fn fill(db: &Connection, rows: u32) {
    db.execute_batch("CREATE TABLE t(id INTEGER PRIMARY KEY, v TEXT)").unwrap();
    let sql = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
               INSERT INTO t SELECT i, printf('%.300c', 'x') FROM n";
    db.execute(sql, [rows]).unwrap();
}

/// The pages that hold the rows of `t`, in order.
fn leaves(db: &Connection) -> Vec<u32> {
    let mut statement =
        db.prepare("SELECT pageno FROM dbstat WHERE name = 't' AND pagetype = 'leaf' ORDER BY path").unwrap();
    statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
}

/// How the store moved.
fn moved<T>(proof: Proof<T>) -> &'static str {
    match proof {
        Err(Refusal::Moved(how)) => how,
        Err(Refusal::Failed(error)) => panic!("{error}"),
        Ok(_) => panic!("proven"),
    }
}

/// Through the overlay: one integer.
fn ask(path: &Path, sql: &str) -> crate::error::Result<i64> {
    let rows = super::Database::open(path)?.query(sql, &[], |row| Ok(row.integer(0).unwrap()))?;
    Ok(rows[0])
}
