//! Every state that a store can be found in, with its writer in another process: what is read, and that the
//! directory stays byte for byte and second for second as it was. `--nocapture` shows the table.

use crate::other::Other;
use crate::support::{Folder, ROWS, count, one, store};
use agent_history::error::Kind;
use agent_history::store::sqlite::Database;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Rows, or a failure of this kind whose words hold this.
type Want = Result<i64, (Kind, &'static str)>;

struct Case {
    name: &'static str,
    want: Want,
    /// Makes the store at the path; a writer that is to stay alive is given back.
    make: fn(&Path) -> Option<Other>,
}

const CASES: &[Case] = &[
    Case { name: "rollback, idle", want: Ok(50), make: |path| closed(path, false, 50) },
    Case { name: "wal, closed", want: Ok(50), make: |path| closed(path, true, 50) },
    Case { name: "wal, writer alive", want: Ok(51), make: |path| Some(with_frames(path)) },
    Case { name: "wal, writer died", want: Ok(51), make: died },
    Case { name: "wal, copied without -shm", want: Ok(51), make: |path| died(path).or_else(|| remove(path, "-shm")) },
    Case {
        name: "wal, -shm is garbage",
        want: Ok(51),
        make: |path| died(path).or_else(|| write(path, "-shm", &[0xee; 32768])),
    },
    Case {
        name: "wal, closed, directory read-only",
        want: Ok(50),
        make: |path| closed(path, true, 50).or_else(|| read_only(path)),
    },
    Case {
        name: "wal, no -shm, directory read-only",
        want: Ok(51),
        make: |path| died(path).or_else(|| remove(path, "-shm")).or_else(|| read_only(path)),
    },
    Case { name: "wal, all read-only", want: Ok(51), make: |path| died(path).or_else(|| read_only(path)) },
    Case {
        name: "wal, locking_mode=exclusive",
        want: Ok(51),
        make: |path| after(path, true, 50, "PRAGMA locking_mode=exclusive; INSERT INTO t(v) VALUES('fresh')"),
    },
    Case {
        name: "wal, a transaction has spilled",
        want: Ok(2000),
        make: |path| after(path, true, 2000, "PRAGMA cache_size=2; BEGIN; UPDATE t SET v = 'dirty'"),
    },
    Case {
        name: "rollback, RESERVED",
        want: Ok(50),
        make: |path| after(path, false, 50, "BEGIN IMMEDIATE; UPDATE t SET v = 'dirty' WHERE id < 5"),
    },
    Case {
        name: "rollback, EXCLUSIVE",
        want: Ok(50),
        make: |path| after(path, false, 50, "BEGIN EXCLUSIVE; UPDATE t SET v = 'dirty' WHERE id < 5"),
    },
    Case {
        name: "rollback, EXCLUSIVE, nothing written",
        want: Err((Kind::Busy, "a writer holds it exclusively, with no journal on disk")),
        make: |path| after(path, false, 50, "BEGIN EXCLUSIVE"),
    },
    Case { name: "rollback, a transaction has spilled", want: Ok(2000), make: |path| Some(spilled(path, "delete")) },
    Case {
        name: "rollback, hot journal",
        want: Ok(2000),
        make: |path| {
            spilled(path, "delete").kill();
            None
        },
    },
    Case { name: "persistent journal", want: Ok(51), make: |path| journal(path, "persist") },
    Case { name: "truncated journal", want: Ok(51), make: |path| journal(path, "truncate") },
    Case { name: "persistent journal, spilled", want: Ok(2000), make: |path| Some(spilled(path, "persist")) },
    Case { name: "journal in memory, idle", want: Ok(51), make: |path| journal(path, "memory") },
    Case {
        name: "journal in memory, RESERVED",
        want: Ok(50),
        make: |path| after(path, false, 50, "PRAGMA journal_mode=memory; BEGIN IMMEDIATE; UPDATE t SET v = 'dirty'"),
    },
    Case {
        name: "journal in memory, spilled",
        want: Err((Kind::Busy, "a writer holds it exclusively, with no journal on disk")),
        make: |path| Some(spilled(path, "memory")),
    },
    Case {
        name: "a damaged page",
        want: Err((Kind::Sqlite, "malformed")),
        make: |path| closed(path, false, 200).or_else(|| write_at(path, 4096, &[0xa5; 4096])),
    },
    Case {
        name: "cut",
        want: Err((Kind::Sqlite, "malformed")),
        make: |path| closed(path, false, 200).or_else(|| cut(path, 4096 * 3 + 100)),
    },
    Case {
        name: "not a database",
        want: Err((Kind::Sqlite, "not a database")),
        make: |path| write(path, "", "hello world ".repeat(1000).as_bytes()),
    },
    Case { name: "empty", want: Err((Kind::Sqlite, "no such table: t")), make: |path| write(path, "", b"") },
    Case { name: "missing", want: Err((Kind::Io, "No such file")), make: |_| None },
    Case {
        name: "a FIFO for a log",
        want: Err((Kind::Io, "not a regular file")),
        make: |path| closed(path, false, 50).or_else(|| fifo(path, "-wal")),
    },
    Case {
        name: "a FIFO for a journal",
        want: Err((Kind::Io, "not a regular file")),
        make: |path| closed(path, false, 50).or_else(|| fifo(path, "-journal")),
    },
];

#[test]
fn every_state_is_read_right_and_left_alone() {
    let mut failures = Vec::new();
    for (number, case) in CASES.iter().enumerate() {
        let folder = Folder::new(&format!("matrix-{number}"));
        let path = folder.path("a.db");
        let writer = (case.make)(&path);
        let before = folder.listing();
        let got = count(&path);
        // A second reader, and a second question: nothing may depend on being first.
        let twice = |mut it: Database| one(&mut it, ROWS).and_then(|_| one(&mut it, ROWS));
        let again = if got.is_ok() { Database::open(&path).and_then(twice) } else { got.clone() };
        let is_untouched = folder.listing() == before;
        let is_right = match (&got, &case.want) {
            (Ok(got), Ok(want)) => got == want,
            (Err(error), Err((kind, words))) => error.kind() == *kind && error.to_string().contains(words),
            _ => false,
        };
        let shown = got.as_ref().map_or_else(ToString::to_string, ToString::to_string);
        let shown = shown.replace(path.to_str().unwrap(), "a.db");
        println!("| {:<36} | {:<9} | {shown}", case.name, if is_untouched { "untouched" } else { "CHANGED" });
        if !is_right || !is_untouched || got != again {
            failures.push(format!("{}: want {:?}, got {got:?}, again {again:?}", case.name, case.want));
        }
        drop(writer);
        writable(&folder.path("."));
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

fn closed(path: &Path, is_wal: bool, rows: u32) -> Option<Other> {
    store(path, is_wal, rows).close().unwrap();
    None
}

fn after(path: &Path, is_wal: bool, rows: u32, sql: &str) -> Option<Other> {
    closed(path, is_wal, rows);
    let mut other = Other::open(path);
    other.must("PRAGMA wal_autocheckpoint=0");
    other.must(sql);
    Some(other)
}

fn with_frames(path: &Path) -> Other {
    after(path, true, 50, "INSERT INTO t(v) VALUES('fresh')").unwrap()
}

fn died(path: &Path) -> Option<Other> {
    with_frames(path).kill();
    None
}

fn spilled(path: &Path, journal: &str) -> Other {
    let sql = "PRAGMA cache_size=5; BEGIN IMMEDIATE; UPDATE t SET v = hex(randomblob(150));
               INSERT INTO t(v) SELECT v FROM t";
    after(path, false, 2000, &format!("PRAGMA journal_mode={journal}; {sql}")).unwrap()
}

fn journal(path: &Path, mode: &str) -> Option<Other> {
    after(path, false, 50, &format!("PRAGMA journal_mode={mode}; INSERT INTO t(v) VALUES('fresh')"))
}

fn beside(path: &Path, suffix: &str) -> std::path::PathBuf {
    path.with_file_name(format!("a.db{suffix}"))
}

fn remove(path: &Path, suffix: &str) -> Option<Other> {
    fs::remove_file(beside(path, suffix)).unwrap();
    None
}

fn write(path: &Path, suffix: &str, bytes: &[u8]) -> Option<Other> {
    fs::write(beside(path, suffix), bytes).unwrap();
    None
}

fn write_at(path: &Path, offset: u64, bytes: &[u8]) -> Option<Other> {
    let file = fs::File::options().write(true).open(path).unwrap();
    std::os::unix::fs::FileExt::write_all_at(&file, bytes, offset).unwrap();
    None
}

fn cut(path: &Path, len: u64) -> Option<Other> {
    fs::File::options().write(true).open(path).unwrap().set_len(len).unwrap();
    None
}

fn fifo(path: &Path, suffix: &str) -> Option<Other> {
    assert!(std::process::Command::new("mkfifo").arg(beside(path, suffix)).status().unwrap().success());
    None
}

fn read_only(path: &Path) -> Option<Other> {
    let folder = path.parent().unwrap();
    for entry in fs::read_dir(folder).unwrap() {
        fs::set_permissions(entry.unwrap().path(), fs::Permissions::from_mode(0o444)).unwrap();
    }
    fs::set_permissions(folder, fs::Permissions::from_mode(0o555)).unwrap();
    None
}

fn writable(folder: &Path) {
    fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).unwrap();
}
