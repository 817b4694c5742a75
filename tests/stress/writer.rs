//! A writer that never rests: a process of its own, with no busy timeout, that counts every BUSY it meets.
//!
//! Its invariants, in every committed state: 2000 accounts that sum to 200,000; `big`, where there is one, holds 9 MiB of
//! one and the same byte; `PRAGMA integrity_check` says ok.

use rusqlite::{Connection, ErrorCode, params};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Accounts, and what each holds at first.
pub const ACCOUNTS: u32 = 2000;
/// Bytes of the large value: more than a reader takes at once.
pub const BIG: usize = 9 << 20;

/// How it writes.
#[derive(Clone, Copy)]
pub struct Manner {
    /// `PRAGMA journal_mode`.
    pub journal: &'static str,
    /// The database shrinks and grows (auto_vacuum).
    pub shrinks: bool,
    /// There is a large value, replaced now and then.
    pub has_big: bool,
    /// `PRAGMA wal_autocheckpoint`, in pages; SQLite's own default is 1000.
    pub checkpoint: u32,
    /// Milliseconds of rest between two commits.
    pub rest: u64,
}

/// The process.
pub struct Writer(Child);

/// What it met.
pub struct Count {
    pub commits: u64,
    pub busy: u64,
}

impl Writer {
    /// Starts one on a new store at `path`; it is at work when this returns.
    pub fn start(path: &Path, manner: Manner) -> Self {
        let manner =
            format!("{}/{}/{}/{}/{}", manner.journal, manner.shrinks, manner.has_big, manner.checkpoint, manner.rest);
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["writer", &manner])
            .arg(path)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut ready = [0; 6];
        child.stdout.as_mut().unwrap().read_exact(&mut ready).unwrap();
        assert_eq!(&ready, b"ready\n");
        Self(child)
    }

    /// Stops it.
    pub fn stop(mut self) -> Count {
        drop(self.0.stdin.take());
        let mut line = String::new();
        BufReader::new(self.0.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert!(self.0.wait().unwrap().success(), "the writer failed");
        let mut numbers = line.split_whitespace().map(|word| word.parse().unwrap());
        Count { commits: numbers.next().unwrap(), busy: numbers.next().unwrap() }
    }
}

/// What the process does.
pub fn run(manner: &str, path: &Path) {
    let words: Vec<&str> = manner.split('/').collect();
    let &[journal, shrinks, has_big, checkpoint, rest] = words.as_slice() else { panic!("{manner}") };
    let (shrinks, has_big) = (shrinks == "true", has_big == "true");
    let mut work = Work { journal, shrinks, has_big, checkpoint, commits: 0, busy: 0, seed: 1 };
    let rest = std::time::Duration::from_millis(rest.parse().unwrap());
    let db = Connection::open(path).unwrap();
    create(&db, &work);
    drop(db);
    let mut db = work.connect(path);
    let stop = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&stop);
    std::thread::spawn(move || {
        let _ = std::io::stdin().read(&mut [0]);
        seen.store(true, Relaxed);
    });
    println!("ready");
    std::io::stdout().flush().unwrap();
    while !stop.load(Relaxed) {
        if let Err(error) = work.step(&db) {
            assert_eq!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy), "{error}");
            work.busy += 1;
            let _ = db.execute_batch("ROLLBACK");
        }
        if work.commits % 200 == 199 {
            db = work.connect(path);
        }
        if !rest.is_zero() {
            std::thread::sleep(rest);
        }
    }
    println!("{} {}", work.commits, work.busy);
}

fn create(db: &Connection, work: &Work<'_>) {
    if work.shrinks {
        db.execute_batch("PRAGMA auto_vacuum=full").unwrap();
    }
    db.execute_batch(&format!("PRAGMA journal_mode={}", work.journal)).unwrap();
    db.execute_batch(
        "CREATE TABLE acct(id INTEGER PRIMARY KEY, n INT, pad TEXT); CREATE INDEX by_n ON acct(n);
         CREATE TABLE junk(x); CREATE TABLE big(id INTEGER PRIMARY KEY, v BLOB)",
    )
    .unwrap();
    db.execute(
        "WITH RECURSIVE k(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM k WHERE i < ?1)
         INSERT INTO acct(n, pad) SELECT 100, printf('%.200c', 'p') FROM k",
        [ACCOUNTS],
    )
    .unwrap();
    if work.has_big {
        db.execute("INSERT INTO big VALUES(1, ?1)", [vec![0u8; BIG]]).unwrap();
    }
}

struct Work<'manner> {
    journal: &'manner str,
    shrinks: bool,
    has_big: bool,
    checkpoint: &'manner str,
    commits: u64,
    busy: u64,
    seed: u64,
}

impl Work<'_> {
    fn connect(&self, path: &Path) -> Connection {
        let db = Connection::open(path).unwrap();
        db.execute_batch("PRAGMA busy_timeout=0; PRAGMA synchronous=off; PRAGMA cache_size=20").unwrap();
        db.execute_batch(&format!("PRAGMA wal_autocheckpoint={}", self.checkpoint)).unwrap();
        if self.journal != "wal" {
            db.execute_batch(&format!("PRAGMA journal_mode={}", self.journal)).unwrap();
        }
        db
    }

    fn random(&mut self, below: u32) -> u32 {
        self.seed ^= self.seed << 13;
        self.seed ^= self.seed >> 7;
        self.seed ^= self.seed << 17;
        (self.seed % u64::from(below)) as u32
    }

    /// One transaction, committed or rolled back, with a small cache so that pages spill; now and then a change of
    /// the schema, a checkpoint.
    fn step(&mut self, db: &Connection) -> rusqlite::Result<()> {
        db.execute_batch("BEGIN IMMEDIATE")?;
        for _ in 0..=self.random(40) {
            let (from, to) = (self.random(ACCOUNTS) + 1, self.random(ACCOUNTS) + 1);
            db.prepare_cached("UPDATE acct SET n = n - 1, pad = hex(randomblob(60)) WHERE id = ?1")?.execute([from])?;
            db.prepare_cached("UPDATE acct SET n = n + 1 WHERE id = ?1")?.execute([to])?;
        }
        if self.shrinks && self.commits.is_multiple_of(7) {
            let grow = "WITH RECURSIVE k(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM k WHERE i < 100)
                        INSERT INTO junk SELECT randomblob(3000) FROM k";
            db.execute(if self.commits.is_multiple_of(14) { grow } else { "DELETE FROM junk" }, [])?;
        }
        if self.has_big && self.commits % 50 == 49 {
            db.execute("UPDATE big SET v = ?1", params![vec![self.commits as u8; BIG]])?;
        }
        // Without a journal there is no way back.
        let is_undone = self.journal != "off" && self.commits % 11 == 3 && self.random(2) == 0;
        db.execute_batch(if is_undone { "ROLLBACK" } else { "COMMIT" })?;
        self.commits += 1;
        if self.commits.is_multiple_of(23) {
            db.execute_batch(&format!("CREATE TABLE x{0}(a); DROP TABLE x{0}", self.commits))?;
        }
        if self.journal == "wal" && self.checkpoint != "1000" && self.commits.is_multiple_of(50) {
            db.execute_batch("PRAGMA wal_checkpoint(truncate)")?;
        }
        Ok(())
    }
}
