//! What bit once, and how it is kept from biting again.

use super::{Scene, ask, fill};
use crate::error::Kind;
use crate::store::sqlite::host::{HostFile, head, read_whole};
use crate::store::sqlite::state::bytes::ReadAt;
use crate::store::sqlite::vfs::Overlay;
use crate::store::sqlite::{Blob, Database};
use rusqlite::ffi;
use std::fs::File;
use std::os::unix::fs::FileExt;

#[test]
fn they_may_move_to_another_thread() {
    fn is_send<T: Send>() {}
    is_send::<Database>();
    is_send::<Blob>();
}

#[test]
fn the_peek_at_the_header_proves_nothing_and_fails_nothing() {
    let scene = Scene::new("peek");
    fill(&scene.writer(""), 1);
    let mut overlay = Overlay::new(scene.path.clone(), HostFile::open(&scene.path).unwrap());
    let mut header = [1; 100];
    assert_eq!(overlay.read(&mut header, 0), ffi::SQLITE_IOERR_SHORT_READ);
    assert_eq!(header, [0; 100]);
    assert_eq!(overlay.begin(), ffi::SQLITE_OK);
    assert_eq!(overlay.read(&mut header, 0), ffi::SQLITE_OK);
    assert!(header.starts_with(b"SQLite format 3\0"));
    assert_eq!(header[18..20], [1, 1]);
    assert_eq!(header[24..28], header[92..96]);
}

#[test]
fn our_fields_stand_in_the_header_wherever_a_read_begins() {
    let scene = Scene::new("mask");
    let db = scene.writer("PRAGMA journal_mode=wal");
    fill(&db, 1);
    let mut overlay = Overlay::new(scene.path.clone(), HostFile::open(&scene.path).unwrap());
    overlay.begin();
    let mut whole = [0; 4096];
    overlay.read(&mut whole, 0);
    for (start, len) in [(0, 100), (18, 1), (19, 1), (24, 16), (26, 2), (90, 10), (95, 4001)] {
        let mut part = vec![0; len];
        assert_eq!(overlay.read(&mut part, start as u64), ffi::SQLITE_OK);
        assert_eq!(part, whole[start..start + len], "{start}, {len}");
    }
}

#[test]
fn unequal_counters_stay_unequal() {
    let scene = Scene::new("counters");
    let db = scene.writer("");
    fill(&db, 1);
    db.close().unwrap();
    // A writer older than 3.7.0 leaves the size and its counter alone: the size in the header is wrong then.
    let file = File::options().write(true).open(&scene.path).unwrap();
    file.write_all_at(&1u32.to_be_bytes(), 28).unwrap();
    file.write_all_at(&[0xff; 4], 92).unwrap();
    assert_eq!(ask(&scene.path, "SELECT count(*) FROM t").unwrap(), 1);
}

#[test]
fn a_short_read_says_how_short() {
    let scene = Scene::new("short");
    std::fs::write(&scene.path, [7; 1000]).unwrap();
    let file = HostFile::open(&scene.path).unwrap();
    for (offset, len, got) in [(0, 1000, 1000), (0, 1001, 1000), (999, 10, 1), (1000, 10, 0), (5000, 10, 0)] {
        let mut bytes = vec![1; len];
        assert_eq!(file.read_at(&mut bytes, offset).unwrap(), got, "{len} bytes at {offset}");
        assert!(bytes[..got].iter().all(|byte| *byte == 7));
    }
    assert_eq!(head(&scene.path, 16).unwrap(), [7; 16]);
    assert_eq!(head(&scene.path, 5000).unwrap(), [7; 1000]);
    assert_eq!(read_whole(&scene.path, 1000).unwrap(), [7; 1000]);
    assert_eq!(read_whole(&scene.path, 999).unwrap_err().kind(), Kind::Limit);
    std::fs::write(&scene.path, [7; 300_000]).unwrap();
    assert_eq!(head(&scene.path, 250_000).unwrap(), [7; 250_000], "more than SQLite reads at once");
    assert_eq!(read_whole(&scene.path, 300_000).unwrap(), [7; 300_000]);
    assert_eq!(head(&scene.folder, 16).unwrap_err().what(), "a directory, not a file");
}

#[test]
fn a_page_size_of_nothing_is_no_database() {
    let scene = Scene::new("page-size");
    let db = scene.writer("");
    fill(&db, 1);
    db.close().unwrap();
    for bytes in [[0, 0], [0, 7], [0xff, 0xff]] {
        File::options().write(true).open(&scene.path).unwrap().write_all_at(&bytes, 16).unwrap();
        let error = ask(&scene.path, "SELECT count(*) FROM t").unwrap_err();
        assert_eq!((error.kind(), error.what()), (Kind::Sqlite, "not a database, or an encrypted one"));
    }
}

#[test]
fn every_page_size_is_read() {
    for page_size in [512, 1024, 65536] {
        let scene = Scene::new(&format!("pages-{page_size}"));
        let db = scene.writer(&format!("PRAGMA page_size={page_size}; PRAGMA journal_mode=wal"));
        fill(&db, 500);
        let check = "SELECT count(*) FROM t, pragma_integrity_check WHERE integrity_check = 'ok'";
        assert_eq!(ask(&scene.path, check).unwrap(), 500);
        db.close().unwrap();
        assert_eq!(ask(&scene.path, check).unwrap(), 500);
    }
}

#[test]
fn pages_freed_by_the_transaction_that_made_them_were_never_written() {
    let scene = Scene::new("freed");
    let db = scene.writer("PRAGMA journal_mode=wal; PRAGMA wal_autocheckpoint=0; PRAGMA cache_size=-200000");
    fill(&db, 50);
    db.execute_batch("PRAGMA wal_checkpoint(truncate); BEGIN").unwrap();
    db.execute_batch(
        "WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
         INSERT INTO t SELECT i, zeroblob(4000) FROM n; DELETE FROM t WHERE id > 50; COMMIT",
    )
    .unwrap();
    let check = "SELECT count(*) FROM t, pragma_integrity_check WHERE integrity_check = 'ok'";
    assert_eq!(ask(&scene.path, check).unwrap(), 50);
    db.execute_batch("PRAGMA wal_checkpoint").unwrap();
    assert_eq!(ask(&scene.path, check).unwrap(), 50);
}

#[test]
fn a_torn_commit_does_not_count() {
    let scene = Scene::new("torn");
    let db = scene.with_log("", 50);
    db.execute_batch("INSERT INTO t(v) VALUES('a')").unwrap();
    let before = std::fs::metadata(scene.sidecar("-wal")).unwrap().len();
    db.execute_batch("INSERT INTO t(v) VALUES('b')").unwrap();
    let log = File::options().read(true).write(true).open(scene.sidecar("-wal")).unwrap();
    let mut byte = [0];
    FileExt::read_exact_at(&log, &mut byte, before + 2000).unwrap();
    assert_eq!(ask(&scene.path, "SELECT count(*) FROM t").unwrap(), 52);
    log.write_all_at(&[!byte[0]], before + 2000).unwrap();
    assert_eq!(ask(&scene.path, "SELECT count(*) FROM t").unwrap(), 51);
    log.write_all_at(&byte, before + 2000).unwrap();
    assert_eq!(ask(&scene.path, "SELECT count(*) FROM t").unwrap(), 52);
}
