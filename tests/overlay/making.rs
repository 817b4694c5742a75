//! How stores get into the states of the matrix. What a case makes is the writer that is to stay alive, if there is one.

use crate::other::Other;
use crate::support::store;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

pub fn closed(path: &Path, is_wal: bool, rows: u32) -> Option<Other> {
    store(path, is_wal, rows).close().unwrap();
    None
}

pub fn after(path: &Path, is_wal: bool, rows: u32, sql: &str) -> Option<Other> {
    closed(path, is_wal, rows);
    let mut other = Other::open(path);
    other.must("PRAGMA wal_autocheckpoint=0");
    other.must(sql);
    Some(other)
}

pub fn with_frames(path: &Path) -> Other {
    after(path, true, 50, "INSERT INTO t(v) VALUES('fresh')").unwrap()
}

pub fn died(path: &Path) -> Option<Other> {
    with_frames(path).kill();
    None
}

pub fn spilled(path: &Path, journal: &str) -> Other {
    let sql = "PRAGMA cache_size=5; BEGIN IMMEDIATE; UPDATE t SET v = hex(randomblob(150));
               INSERT INTO t(v) SELECT v FROM t";
    after(path, false, 2000, &format!("PRAGMA journal_mode={journal}; {sql}")).unwrap()
}

pub fn journal(path: &Path, mode: &str) -> Option<Other> {
    after(path, false, 50, &format!("PRAGMA journal_mode={mode}; INSERT INTO t(v) VALUES('fresh')"))
}

pub fn beside(path: &Path, suffix: &str) -> std::path::PathBuf {
    let mut name = path.file_name().unwrap().to_owned();
    name.push(suffix);
    path.with_file_name(name)
}

pub fn remove(path: &Path, suffix: &str) -> Option<Other> {
    fs::remove_file(beside(path, suffix)).unwrap();
    None
}

pub fn write(path: &Path, suffix: &str, bytes: &[u8]) -> Option<Other> {
    fs::write(beside(path, suffix), bytes).unwrap();
    None
}

pub fn write_at(path: &Path, offset: u64, bytes: &[u8]) -> Option<Other> {
    let file = fs::File::options().write(true).open(path).unwrap();
    std::os::unix::fs::FileExt::write_all_at(&file, bytes, offset).unwrap();
    None
}

/// The machine lost its power: the last frame's header is on the disk, the end of its page is not.
pub fn tear(path: &Path) -> Option<Other> {
    let log = beside(path, "-wal");
    let len = fs::metadata(&log).unwrap().len();
    write_at(&log, len - 10, &[0xa5; 10])
}

pub fn cut(path: &Path, len: u64) -> Option<Other> {
    fs::File::options().write(true).open(path).unwrap().set_len(len).unwrap();
    None
}

pub fn fifo(path: &Path, suffix: &str) -> Option<Other> {
    assert!(std::process::Command::new("mkfifo").arg(beside(path, suffix)).status().unwrap().success());
    None
}

pub fn read_only(path: &Path) -> Option<Other> {
    let folder = path.parent().unwrap();
    for entry in fs::read_dir(folder).unwrap() {
        fs::set_permissions(entry.unwrap().path(), fs::Permissions::from_mode(0o444)).unwrap();
    }
    fs::set_permissions(folder, fs::Permissions::from_mode(0o555)).unwrap();
    None
}

pub fn writable(folder: &Path) {
    fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).unwrap();
}

pub fn link(target: &Path, path: &Path) -> Option<Other> {
    std::os::unix::fs::symlink(target, path).unwrap();
    None
}

/// A link to what `make` makes elsewhere.
pub fn linked(path: &Path, make: fn(&Path) -> Option<Other>) -> Option<Other> {
    let target = path.with_file_name("target.db");
    let writer = make(&target);
    link(&target, path).or(writer)
}

pub fn foreign(path: &Path) -> Option<Other> {
    rusqlite::Connection::open(path)
        .unwrap()
        .execute_batch("CREATE TABLE others(x); INSERT INTO others VALUES(1)")
        .unwrap();
    None
}

/// What a cipher writes looks like this.
pub fn noise(len: usize) -> Vec<u8> {
    let next = |state: &mut u64| {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        Some((*state >> 56) as u8)
    };
    std::iter::repeat_n((), len).scan(7, |state, ()| next(state)).collect()
}
