//! What the API gives.

use crate::support::{Folder, add, count, one, store};
use agent_history::error::{Error, Kind};
use agent_history::store::sqlite::{Batches, Database, Options, Param, Storage};
use std::sync::Arc;

#[test]
fn rows_keep_their_storage_class() {
    let folder = Folder::new("storage");
    let path = folder.path("a.db");
    let db = store(&path, false, 0);
    db.execute_batch("CREATE TABLE k(id BLOB, v); INSERT INTO k VALUES(x'00ff', 1), ('é', 2.5), (x'41', NULL)")
        .unwrap();
    db.execute_batch("INSERT INTO k VALUES(CAST(x'41ff' AS TEXT), 'x')").unwrap();
    let mut store = Database::open(&path).unwrap();
    let rows = store
        .query("SELECT id, v FROM k ORDER BY rowid", &[], |row| {
            let text = row.text(0).map(std::borrow::Cow::into_owned);
            Ok((row.kind(0), row.bytes(0).map(<[u8]>::to_vec), text, row.kind(1), row.integer(1)))
        })
        .unwrap();
    let text = |text: &str| Some(text.to_owned());
    assert_eq!(
        rows,
        [
            (Storage::Blob, Some(vec![0, 255]), text("\0\u{fffd}"), Storage::Integer, Some(1)),
            (Storage::Text, Some("é".into()), text("é"), Storage::Real, None),
            (Storage::Blob, Some(vec![0x41]), text("A"), Storage::Null, None),
            (Storage::Text, Some(vec![0x41, 0xff]), text("A\u{fffd}"), Storage::Text, None),
        ]
    );
    let found = |param: Param<'_>| one_with(&mut Database::open(&path).unwrap(), param);
    assert_eq!(found(Param::Blob(b"A")), 1);
    assert_eq!(found(Param::Text("A")), 0);
    assert_eq!(found("é".into()), 1);
}

/// What was known of a table is asked again in each state of its store.
#[test]
fn columns_are_those_of_the_newest_state() {
    for is_wal in [false, true] {
        let folder = Folder::new(if is_wal { "columns-wal" } else { "columns-move" });
        let path = folder.path("a.db");
        let db = store(&path, is_wal, 1);
        db.execute_batch("CREATE TABLE k(a)").unwrap();
        let mut store = Database::open(&path).unwrap();
        for (change, k, t) in [
            ("SELECT 1", &["a"][..], &["id", "v"][..]),
            ("ALTER TABLE k ADD COLUMN b", &["a", "b"], &["id", "v"]),
            ("INSERT INTO k VALUES (1, 2)", &["a", "b"], &["id", "v"]),
            ("DROP TABLE k", &[], &["id", "v"]),
            ("CREATE TABLE k(c); ALTER TABLE t ADD COLUMN w", &["c"], &["id", "v", "w"]),
        ] {
            db.execute_batch(change).unwrap();
            for _ in 0..2 {
                assert_eq!(store.columns("k").unwrap(), k, "{change}");
                assert_eq!(store.columns("t").unwrap(), t, "{change}");
            }
        }
        db.execute_batch("DROP TABLE k; CREATE VIEW k AS SELECT 1").unwrap();
        assert_eq!(store.columns("k").unwrap_err().what(), "k is a view");
    }
}

fn one_with(database: &mut Database, param: Param<'_>) -> i64 {
    let count = "SELECT count(*) FROM k WHERE id = ?1";
    database.query(count, &[param], |row| Ok(row.integer(0).unwrap())).unwrap()[0]
}

#[test]
fn only_plain_tables_have_columns() {
    let folder = Folder::new("columns");
    let path = folder.path("a.db");
    let db = store(&path, false, 1);
    db.execute_batch(
        "CREATE VIEW view AS SELECT * FROM t; CREATE TABLE g(a, b AS (a + 1)); CREATE TABLE \"o\"\"dd\"(\"a b\", c)",
    )
    .unwrap();
    // The schema table lies about a root page.
    db.execute_batch(
        "PRAGMA writable_schema=1;
         INSERT INTO sqlite_master VALUES('table', 'vt', 'vt', 2, 'CREATE VIRTUAL TABLE vt USING x')",
    )
    .unwrap();
    let mut store = Database::open(&path).unwrap();
    assert_eq!(store.columns("t").unwrap(), ["id", "v"]);
    assert_eq!(store.columns("T").unwrap(), ["id", "v"]);
    assert_eq!(store.columns("o\"dd").unwrap(), ["a b", "c"]);
    assert_eq!(store.columns("nothing").unwrap(), [""; 0]);
    for (table, what) in
        [("view", "view is a view"), ("vt", "vt is a virtual table"), ("g", "g.b is a generated column")]
    {
        let error = store.columns(table).unwrap_err();
        assert_eq!((error.kind(), error.what()), (Kind::Shape, what));
    }
}

#[test]
fn batches_give_every_row_once() {
    let folder = Folder::new("batches");
    let path = folder.path("a.db");
    let db = store(&path, true, 0);
    db.execute_batch("INSERT INTO t(id) VALUES(-9223372036854775808), (-1), (0), (7), (9223372036854775807)").unwrap();
    let mut database = Database::open(&path).unwrap();
    for size in [1, 2, 4, 5, 6, 100] {
        let mut batches = Batches::new("SELECT id FROM t WHERE id >= ?1 ORDER BY id LIMIT ?2", size);
        let mut keys = Vec::new();
        while let Some(batch) = batches.next(&mut database, |row| Ok(row.integer(0).unwrap())).unwrap() {
            assert!(!batch.is_empty() && batch.len() <= size as usize);
            keys.extend(batch);
        }
        assert_eq!(keys, [i64::MIN, -1, 0, 7, i64::MAX]);
    }
    let mut batches = Batches::new("SELECT id FROM t WHERE id >= ?1 ORDER BY id LIMIT ?2", 2);
    batches.next(&mut database, |_| Ok(())).unwrap();
    db.execute_batch("INSERT INTO t(id) VALUES(3)").unwrap();
    let rest = batches.next(&mut database, |row| Ok(row.integer(0).unwrap())).unwrap();
    assert_eq!(rest, Some(vec![0, 3]), "goes on by key on the new state");
}

#[test]
fn errors_of_the_reader_and_of_sqlite_are_answers() {
    let folder = Folder::new("errors");
    let path = folder.path("a.db");
    store(&path, false, 3);
    let mut database = Database::open(&path).unwrap();
    let error = database.query::<()>("SELECT 1 FROM t", &[], |_| Err(Error::shape("mine"))).unwrap_err();
    assert_eq!(error.to_string(), format!("shape: mine ({})", path.display()));
    let error = database.query::<()>("SELECT 1 FROM nowhere", &[], |_| Ok(())).unwrap_err();
    assert_eq!((error.kind(), error.what()), (Kind::Sqlite, "no such table: nowhere"));
    let error = database.query::<()>("SELECT FROM", &[], |_| Ok(())).unwrap_err();
    assert_eq!(error.kind(), Kind::Sqlite, "a question that never reaches the store: {error}");
    assert!(database.query::<()>("DELETE FROM t", &[], |_| Ok(())).is_err());
    assert_eq!(one(&mut database, "SELECT count(*) FROM t").unwrap(), 3);
}

#[test]
fn what_is_no_store_is_told_in_words() {
    let folder = Folder::new("no-store");
    let say = |name: &str| Database::open(&folder.path(name)).map(drop).unwrap_err();
    std::fs::write(folder.path("text"), "hello world ".repeat(1000)).unwrap();
    std::fs::write(folder.path("short"), "hello").unwrap();
    std::fs::write(folder.path("empty"), "").unwrap();
    assert!(std::process::Command::new("mkfifo").arg(folder.path("fifo")).status().unwrap().success());
    for (name, kind, what) in [
        ("text", Kind::Sqlite, "not a database, or an encrypted one"),
        ("short", Kind::Sqlite, "not a database, or an encrypted one"),
        (".", Kind::Io, "a directory, not a file"),
        ("fifo", Kind::Io, "not a regular file"),
        ("missing", Kind::Io, "No such file or directory (os error 2)"),
    ] {
        let error = say(name);
        assert_eq!((error.kind(), error.what()), (kind, what), "{name}");
        assert!(error.to_string().contains(name), "{error}");
    }
    let error = Database::open(std::path::Path::new("/dev/zero")).map(drop).unwrap_err();
    assert_eq!(error.to_string(), "io: not a regular file (/dev/zero)");
    let mut empty = Database::open(&folder.path("empty")).unwrap();
    assert_eq!(empty.columns("t").unwrap(), [""; 0]);
    assert_eq!(empty.journal().unwrap(), "delete");
}

#[test]
fn a_link_leads_to_the_sidecars_of_its_target() {
    let folder = Folder::new("link");
    std::fs::create_dir(folder.path("real")).unwrap();
    let path = folder.path("real/a.db");
    let _writer = store(&path, true, 5);
    std::os::unix::fs::symlink(&path, folder.path("link.db")).unwrap();
    assert_eq!(count(&folder.path("link.db")).unwrap(), 5);
}

#[test]
fn stamps_tell_states_apart() {
    for is_wal in [false, true] {
        let folder = Folder::new(if is_wal { "stamp-wal" } else { "stamp" });
        let path = folder.path("a.db");
        let db = store(&path, is_wal, 5);
        let mut database = Database::open(&path).unwrap();
        let before = database.stamp().unwrap();
        assert_eq!(one(&mut database, "SELECT count(*) FROM t").unwrap(), 5);
        assert_eq!(database.proven(), Some(&before));
        assert_eq!(Database::open(&path).unwrap().stamp().unwrap(), before, "the same for another reader");
        add(&db, 1);
        let after = database.stamp().unwrap();
        assert_ne!(after, before);
        assert_eq!(one(&mut database, "SELECT count(*) FROM t").unwrap(), 6);
        assert_eq!(database.proven(), Some(&after));
        assert_eq!(database.journal().unwrap(), if is_wal { "wal" } else { "delete" });
    }
}

#[test]
fn the_hook_stops_a_long_question() {
    let folder = Folder::new("interrupt");
    let path = folder.path("a.db");
    store(&path, false, 1);
    let mut database = Database::open(&path).unwrap();
    database.set_interrupt(Some(Arc::new(|| true)));
    let long = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";
    let error = database.query::<()>(long, &[], |_| Ok(())).unwrap_err();
    assert_eq!((error.kind(), error.what()), (Kind::Busy, "interrupted"));
    database.set_interrupt(None);
    assert_eq!(one(&mut database, "SELECT count(*) FROM t").unwrap(), 1);
}

#[test]
fn a_value_over_the_limit_is_an_error() {
    let folder = Folder::new("limit");
    let path = folder.path("a.db");
    store(&path, false, 1);
    let options = Options { max_value_bytes: 100, ..Options::default() };
    let mut database = Database::open_with(&path, options).unwrap();
    let error = database.query("SELECT v FROM t", &[], |row| Ok(row.bytes(0).map(<[u8]>::len))).unwrap_err();
    let what = "a value is larger than the limit; agent_history_config('max_value_bytes', …) raises it";
    assert_eq!((error.kind(), error.what()), (Kind::Limit, what));
}
