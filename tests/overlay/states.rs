//! Every state that a store can be in: what is read, and that its directory stays as it was.

use crate::support::{Folder, add, count, store};
use agent_history::error::Kind;
use rusqlite::Connection;

#[test]
fn a_log_that_was_never_checkpointed_counts() {
    let folder = Folder::new("wal-live");
    let path = folder.path("a.db");
    let writer = store(&path, true, 50);
    let before = folder.listing();
    assert_eq!(count(&path).unwrap(), 50);
    assert_eq!(folder.listing(), before);
    add(&writer, 1);
    assert_eq!(count(&path).unwrap(), 51);
}

#[test]
fn a_writer_at_work_is_not_seen() {
    let folder = Folder::new("spilled");
    let path = folder.path("a.db");
    let writer = store(&path, false, 2000);
    writer.execute_batch("PRAGMA cache_size=5; BEGIN IMMEDIATE; UPDATE t SET v = hex(randomblob(150))").unwrap();
    add(&writer, 2000);
    assert!(folder.path("a.db-journal").exists());
    let before = folder.listing();
    assert_eq!(count(&path).unwrap(), 2000);
    assert_eq!(folder.listing(), before);
    writer.execute_batch("COMMIT").unwrap();
    assert_eq!(count(&path).unwrap(), 4000);
}

#[test]
fn a_cut_store_is_an_error() {
    let folder = Folder::new("cut");
    let path = folder.path("a.db");
    store(&path, false, 200).close().unwrap();
    std::fs::File::options().write(true).open(&path).unwrap().set_len(4096 * 3 + 100).unwrap();
    let error = count(&path).unwrap_err();
    assert_eq!((error.kind(), error.what()), (Kind::Sqlite, "database disk image is malformed"));
}

#[test]
fn a_warm_reader_follows_mode_changes_and_a_rename() {
    let folder = Folder::new("modes");
    let path = folder.path("a.db");
    let writer = store(&path, true, 50);
    let mut database = agent_history::store::sqlite::Database::open(&path).unwrap();
    let mut count = || crate::support::one(&mut database, "SELECT count(*) FROM t").unwrap();
    assert_eq!(count(), 50);
    writer.execute_batch("PRAGMA journal_mode=delete; INSERT INTO t(v) VALUES(1)").unwrap();
    assert_eq!(count(), 51);
    writer.execute_batch("PRAGMA journal_mode=wal; INSERT INTO t(v) VALUES(1)").unwrap();
    assert_eq!(count(), 52);
    writer.execute_batch("VACUUM").unwrap();
    assert_eq!(count(), 52);
    writer.close().unwrap();
    assert_eq!(count(), 52);
    store(&folder.path("b.db"), false, 7).close().unwrap();
    std::fs::rename(folder.path("b.db"), &path).unwrap();
    assert_eq!(count(), 7);
    std::fs::remove_file(&path).unwrap();
    Connection::open(&path).unwrap().execute_batch("CREATE TABLE t(x)").unwrap();
    assert_eq!(count(), 0);
}
