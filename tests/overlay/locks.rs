//! The host of this library may have the very store open, in the middle of a transaction: its locks must survive.
//!
//! POSIX drops a process's locks on a file when the process closes any descriptor on it.

use crate::other::Other;
use crate::support::{Folder, ROWS, one, store};
use agent_history::store::sqlite::{Database, head, read_whole};
use rusqlite::Connection;
use std::path::Path;

/// A transaction of this process, and what comes of another process's attempt to write after `read`.
fn second_writer(name: &str, is_wal: bool, begin: &str, read: impl FnOnce(&Path, &Connection)) -> String {
    second_writer_of("a.db", name, is_wal, begin, read)
}

/// The same for a store of this name.
fn second_writer_of(
    file: &str,
    name: &str,
    is_wal: bool,
    begin: &str,
    read: impl FnOnce(&Path, &Connection),
) -> String {
    let folder = Folder::new(name);
    let path = folder.path(file);
    let host = store(&path, is_wal, 5);
    host.execute_batch(begin).unwrap();
    read(&path, &host);
    let said = Other::open(&path).run("BEGIN IMMEDIATE; UPDATE t SET v = 'theirs'; COMMIT");
    let committed = host.execute_batch("COMMIT");
    if said != "ok" {
        committed.unwrap();
    }
    said
}

#[test]
fn the_hosts_locks_survive() {
    for is_wal in [false, true] {
        for begin in ["BEGIN IMMEDIATE", "BEGIN EXCLUSIVE"] {
            for change in ["", "; UPDATE t SET v = 'mine'"] {
                let name = format!("locks-{is_wal}-{}-{}", &begin[6..], change.len());
                let sql = format!("{begin}{change}");
                let mut open = None;
                let said = second_writer(&format!("{name}-open"), is_wal, &sql, |path, _| {
                    open = Database::open(path).ok();
                    let rows = open.as_mut().map(|it| one(it, ROWS).unwrap());
                    // EXCLUSIVE with nothing written looks like a journal in memory, and is refused in words.
                    let is_refused = !is_wal && begin == "BEGIN EXCLUSIVE" && change.is_empty();
                    assert_eq!(rows, if is_refused { None } else { Some(5) }, "{name}");
                });
                assert_eq!(said, "database is locked", "{name}, still open");
                drop(open);
                let said = second_writer(&format!("{name}-closed"), is_wal, &sql, |path, _| {
                    drop(Database::open(path).and_then(|mut it| one(&mut it, ROWS)));
                    assert!(head(path, 16).unwrap().starts_with(b"SQLite format 3"));
                    read_whole(path, 1 << 20).unwrap();
                });
                assert_eq!(said, "database is locked", "{name}, closed");
            }
        }
    }
}

#[test]
fn a_plain_read_would_drop_them() {
    let said = second_writer("locks-plain", false, "BEGIN IMMEDIATE", |path, _| drop(std::fs::read(path).unwrap()));
    assert_eq!(said, "ok", "if this fails, the test above tests nothing");
}

#[test]
fn no_table_drops_them_whatever_the_store_is_called() {
    let tables = ["agent_sources", "agent_sessions", "agent_messages", "agent_permissions", "cody_prompts"];
    for file in ["threads.db", "db.sqlite", "state.vscdb", "export.json", "settings.json", "a.zed.json"] {
        let said = second_writer_of(file, &format!("locks-{file}"), false, "BEGIN IMMEDIATE", |path, _| {
            let db = Connection::open_in_memory().unwrap();
            agent_history::register(&db).unwrap();
            for root in [path, path.parent().unwrap()] {
                for table in tables {
                    let sql = format!("SELECT count(*) FROM {table}(?1)");
                    let mut statement = db.prepare(&sql).unwrap();
                    let _ = statement.query_row([root.to_str().unwrap()], |_| Ok(()));
                }
            }
        });
        assert_eq!(said, "database is locked", "{file}");
    }
}
