//! Odd names, odd sizes, odd moments.

use crate::other::Other;
use crate::support::{Folder, ROWS, add, count, one, store};
use agent_history::error::Kind;
use agent_history::store::sqlite::Database;
use rusqlite::Connection;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileExt, MetadataExt, PermissionsExt};

#[test]
fn any_name_is_a_name() {
    let folder = Folder::new("names");
    let names: [&[u8]; 7] = [
        b"we?ird #1 100%",
        "h\u{e9}me dir'q [x]".as_bytes(),
        b"file:a?mode=memory",
        b"non-utf8 \xff\xfe",
        b"%41%00",
        b"-wal",
        b" \n\t\"",
    ];
    for name in names {
        let home = folder.path("home").join(OsStr::from_bytes(name));
        fs::create_dir_all(&home).unwrap();
        let path = home.join(OsStr::from_bytes(name));
        let _writer = store(&path, true, 3);
        assert_eq!(count(&path).unwrap(), 3, "{}", path.display());
    }
}

#[test]
fn a_path_longer_than_sqlites_own_limit() {
    let folder = Folder::new("long");
    let short = folder.path("a.db");
    store(&short, false, 4).close().unwrap();
    let mut deep = folder.path("deep");
    for _ in 0..6 {
        deep.push("d".repeat(200));
    }
    fs::create_dir_all(&deep).unwrap();
    fs::rename(&short, deep.join("a.db")).unwrap();
    assert_eq!(count(&deep.join("a.db")).unwrap(), 4);
}

#[test]
fn a_file_that_may_not_be_read() {
    let folder = Folder::new("forbidden");
    let path = folder.path("a.db");
    store(&path, false, 4).close().unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
    if File::open(&path).is_ok() {
        return println!("not tested here: root may read everything");
    }
    let error = count(&path).unwrap_err();
    assert_eq!((error.kind(), error.what()), (Kind::Io, "Permission denied (os error 13)"));
}

#[test]
fn four_gigabytes_of_nothing_are_not_read() {
    let folder = Folder::new("sparse");
    let path = folder.path("a.db");
    store(&path, true, 500).close().unwrap();
    let pages = 1u32 << 20;
    let file = File::options().write(true).open(&path).unwrap();
    file.set_len(u64::from(pages) * 4096).unwrap();
    file.write_all_at(&pages.to_be_bytes(), 28).unwrap();
    let writer = Connection::open(&path).unwrap();
    writer.execute_batch("PRAGMA wal_autocheckpoint=0; INSERT INTO t VALUES(999999, 'fresh')").unwrap();
    let start = std::time::Instant::now();
    let mut database = Database::open(&path).unwrap();
    assert_eq!(one(&mut database, "SELECT id FROM t WHERE v = 'fresh'").unwrap(), 999_999);
    assert_eq!(one(&mut database, ROWS).unwrap(), 501);
    assert!(start.elapsed().as_secs() < 5);
    assert!(fs::metadata(&path).unwrap().blocks() * 512 < 1 << 20, "and none of it was written");
}

#[test]
fn sidecars_as_large_as_a_disk_are_not_read() {
    let folder = Folder::new("sparse-sidecars");
    let path = folder.path("a.db");
    store(&path, false, 50).close().unwrap();
    for suffix in ["-wal", "-journal"] {
        let file = File::create(folder.path(&format!("a.db{suffix}"))).unwrap();
        file.set_len(8 << 30).unwrap();
        assert_eq!(count(&path).unwrap(), 50);
    }
    // A log that is valid, and then 8 GB of nothing.
    let live = folder.path("b.db");
    let _writer = store(&live, true, 50);
    File::options().append(true).open(folder.path("b.db-wal")).unwrap().set_len(8 << 30).unwrap();
    assert_eq!(count(&live).unwrap(), 50);
}

#[test]
fn a_store_may_go_and_come_back_under_a_reader() {
    let folder = Folder::new("gone");
    let path = folder.path("a.db");
    store(&path, true, 3).close().unwrap();
    let mut database = Database::open(&path).unwrap();
    fs::remove_file(&path).unwrap();
    let error = one(&mut database, ROWS).unwrap_err();
    assert_eq!(error.kind(), Kind::Io, "{error}");
    store(&path, true, 4).close().unwrap();
    assert_eq!(one(&mut database, ROWS).unwrap(), 4);
    fs::write(&path, "").unwrap();
    assert_eq!(one(&mut database, ROWS).unwrap_err().what(), "no such table: t");
    fs::write(&path, "no database").unwrap();
    assert_eq!(one(&mut database, ROWS).unwrap_err().kind(), Kind::Sqlite);
    fs::remove_file(&path).unwrap();
    store(&path, false, 5).close().unwrap();
    assert_eq!(one(&mut database, ROWS).unwrap(), 5);
}

#[test]
fn text_in_utf_16_comes_out_in_utf_8() {
    let folder = Folder::new("utf-16");
    let path = folder.path("a.db");
    let db = Connection::open(&path).unwrap();
    db.execute_batch("PRAGMA encoding='UTF-16le'; CREATE TABLE t(v); INSERT INTO t VALUES('h\u{e9}'), (x'6800')")
        .unwrap();
    let mut database = Database::open(&path).unwrap();
    assert_eq!(database.blob("t", "v", 1).unwrap().into_bytes().unwrap(), "h\u{e9}".as_bytes());
    assert_eq!(database.blob("t", "v", 2).unwrap().into_bytes().unwrap(), [0x68, 0]);
}

#[test]
fn two_readers_of_one_process_and_a_writer_of_another() {
    let folder = Folder::new("two");
    let path = folder.path("a.db");
    store(&path, true, 10).close().unwrap();
    let mut other = Other::open(&path);
    let (mut first, mut second) = (Database::open(&path).unwrap(), Database::open(&path).unwrap());
    for rows in 11..40 {
        other.must("INSERT INTO t(v) VALUES('x')");
        if rows % 7 == 0 {
            other.must("PRAGMA wal_checkpoint(truncate)");
        }
        assert_eq!((one(&mut first, ROWS).unwrap(), one(&mut second, ROWS).unwrap()), (rows, rows));
    }
}

#[test]
fn a_host_that_reads_and_writes_the_store_itself() {
    let folder = Folder::new("host");
    let path = folder.path("a.db");
    let host = store(&path, true, 10);
    let mut database = Database::open(&path).unwrap();
    add(&host, 1);
    assert_eq!(one(&mut database, ROWS).unwrap(), 11);
    host.execute_batch("BEGIN; DELETE FROM t").unwrap();
    assert_eq!(one(&mut database, ROWS).unwrap(), 11, "in the middle of its transaction");
    host.execute_batch("COMMIT").unwrap();
    assert_eq!(one(&mut database, ROWS).unwrap(), 0);
}
