//! Proofs 1 to 10; the eleventh is in `super_journal`.

use super::{Look, Scene, ask, fill, leaves, moved};
use crate::error::Kind;
use crate::store::sqlite::database::Database;
use crate::store::sqlite::host::HostFile;
use crate::store::sqlite::state::wal::Wal;
use crate::store::sqlite::state::{Clock, Freshness};
use crate::store::sqlite::vfs::Overlay;
use std::fs::File;

#[test]
fn proof_1_a_page_of_the_log_needs_its_generation() {
    let scene = Scene::new("proof-1");
    let db = scene.with_log("", 100);
    let look = scene.look();
    let mut state = look.state();
    look.read(&mut state, 1);
    db.execute_batch("INSERT INTO t(v) VALUES('more')").unwrap();
    state.check(&look.files).unwrap();
    db.execute_batch("PRAGMA wal_checkpoint(restart)").unwrap();
    state.check(&look.files).unwrap();
    db.execute_batch("INSERT INTO t(v) VALUES('in a new generation')").unwrap();
    assert_eq!(moved(state.check(&look.files)), "the log was restarted");
    assert_eq!(state.freshness(&look.files).unwrap(), Freshness::Gone);
}

#[test]
fn proof_2_a_page_of_the_main_file_may_have_been_overwritten_by_a_checkpoint() {
    let scene = Scene::new("proof-2");
    let db = scene.with_log("", 500);
    let (first, last) = (leaves(&db)[0], *leaves(&db).last().unwrap());
    let look = scene.look();
    let (mut touched, mut spared) = (look.state(), look.state());
    let before = look.read(&mut touched, first);
    look.read(&mut spared, last);
    db.execute_batch("UPDATE t SET v = 'new' WHERE id = 1").unwrap();
    touched.check(&look.files).expect("the main file was not written yet");
    assert_eq!(touched.freshness(&look.files).unwrap(), Freshness::Grown);
    db.execute_batch("PRAGMA wal_checkpoint(passive)").unwrap();
    assert_ne!(look.in_main(first), before, "what a reader without this proof would get");
    assert_eq!(moved(touched.check(&look.files)), "a checkpoint may have overwritten a page that was read");
    assert_eq!(moved(touched.check_page(&look.files, first)), "a checkpoint may have overwritten a page that was read");
    spared.check(&look.files).expect("the newer commit left this page alone");
    touched.check_page(&look.files, 1).expect("page 1 is in the log");
}

#[test]
fn proof_2_frames_without_a_commit_are_in_nobodys_main_file() {
    let scene = Scene::new("proof-2-uncommitted");
    let db = scene.with_log("", 500);
    let look = scene.look();
    let mut state = look.state();
    look.read(&mut state, leaves(&db)[0]);
    db.execute_batch("PRAGMA cache_size=2; BEGIN; UPDATE t SET v = 'spilled'").unwrap();
    // Another program touches the main file, so that the stamp alone proves nothing.
    File::options().append(true).open(&scene.path).unwrap().set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
    state.check(&look.files).unwrap();
    assert_eq!(state.freshness(&look.files).unwrap(), Freshness::Same);
    db.execute_batch("COMMIT").unwrap();
    assert_eq!(moved(state.check(&look.files)), "a checkpoint may have overwritten a page that was read");
}

#[test]
fn proof_3_pages_cut_off_are_in_no_frame() {
    let scene = Scene::new("proof-3");
    let db = scene.with_log("PRAGMA auto_vacuum=full", 500);
    let look = scene.look();
    let mut state = look.state();
    let log = File::open(scene.sidecar("-wal")).unwrap();
    let mut index = Wal::open(&log).unwrap().unwrap();
    index.extend(&log).unwrap();
    let highest = (1..=state.pages()).rev().find(|page| index.offset(*page).is_none()).unwrap();
    look.read(&mut state, highest);
    db.execute_batch("DELETE FROM t WHERE id > 200").unwrap();
    assert!(index.spares(&log, |page| page != highest, 0).unwrap(), "no frame names the page");
    assert!(!index.spares(&log, |page| page != highest, highest).unwrap());
    db.execute_batch("PRAGMA wal_checkpoint(passive)").unwrap();
    assert_eq!(moved(state.check(&look.files)), "a checkpoint may have overwritten a page that was read");
}

#[test]
fn proof_4_a_commit_that_was_never_published_is_overwritten() {
    let scene = Scene::new("proof-4");
    let db = scene.with_log("", 1);
    db.execute_batch("INSERT INTO small VALUES(1)").unwrap();
    let published = std::fs::read(scene.sidecar("-shm")).unwrap();
    db.execute_batch("INSERT INTO small VALUES(2)").unwrap();
    // What is left when the writer dies between its commit frame and the wal-index.
    let index = File::options().write(true).open(scene.sidecar("-shm")).unwrap();
    std::os::unix::fs::FileExt::write_all_at(&index, &published[..96], 0).unwrap();
    let sum = "SELECT sum(x) FROM small";
    let by_sqlite = || scene.writer("").query_row(sum, [], |row| row.get::<_, i64>(0)).unwrap();
    assert_eq!(by_sqlite(), 1);
    let look = scene.look();
    let mut state = look.state();
    look.read(&mut state, 1);
    assert_eq!(ask(&scene.path, sum).unwrap(), 3, "the newest durable state");
    scene.writer("INSERT INTO small VALUES(4)");
    assert_eq!(moved(state.check(&look.files)), "the log was restarted");
    assert_eq!((by_sqlite(), ask(&scene.path, sum).unwrap()), (5, 5));
}

#[test]
fn proof_5_a_log_without_a_commit_leaves_the_size_to_the_main_file() {
    let scene = Scene::new("proof-5");
    let db = scene.with_log("", 500);
    db.execute_batch("PRAGMA wal_checkpoint(restart); PRAGMA cache_size=2; BEGIN; UPDATE t SET v = 'spilled'").unwrap();
    let look = scene.look();
    let mut state = look.state();
    assert_eq!(state.len(), std::fs::metadata(&scene.path).unwrap().len());
    look.read(&mut state, leaves(&db)[0]);
    state.check(&look.files).unwrap();
    assert_eq!(state.freshness(&look.files).unwrap(), Freshness::Same);
    assert_eq!(ask(&scene.path, "SELECT count(*) FROM t WHERE v = 'spilled'").unwrap(), 0);
    db.execute_batch("COMMIT").unwrap();
    assert_eq!(state.freshness(&look.files).unwrap(), Freshness::Grown);
    assert!(state.extend(&look.files).unwrap());
    assert_eq!(ask(&scene.path, "SELECT count(*) FROM t WHERE v = 'spilled'").unwrap(), 500);
}

#[test]
fn proof_6_a_file_without_log_and_journal_is_whole_while_its_stamp_stays() {
    let scene = Scene::new("proof-6");
    let db = scene.writer("");
    fill(&db, 100);
    let look = scene.look();
    let mut state = look.state();
    look.read(&mut state, 2);
    state.check(&look.files).unwrap();
    db.execute_batch("UPDATE t SET v = 'new' WHERE id = 100").unwrap();
    assert_eq!(moved(state.check(&look.files)), "the main file was written");
    assert_eq!(state.freshness(&look.files).unwrap(), Freshness::Gone);
    let state = look.state();
    std::fs::rename(scene.copy("b.db"), &scene.path).unwrap();
    assert_eq!(moved(state.check(&look.files)), "the main file was written");
    assert_eq!(moved(look.build()), "the file was replaced");
}

#[test]
fn proof_7_a_journal_gives_back_what_was_there_before() {
    let scene = Scene::new("proof-7");
    let db = scene.writer("");
    fill(&db, 2000);
    let (look, page) = (scene.look(), leaves(&db)[0]);
    let committed = look.in_main(page);
    db.execute_batch("BEGIN; UPDATE t SET v = 'spilled' WHERE id < 1000").unwrap();
    db.cache_flush().unwrap();
    assert_ne!(look.in_main(page), committed);
    let mut state = look.state();
    assert_eq!(look.read(&mut state, page), committed);
    db.execute_batch("UPDATE t SET v = 'in memory' WHERE id > 1990").unwrap();
    state.check(&look.files).expect("the journal's records may go on growing");
    db.execute_batch("ROLLBACK; BEGIN; UPDATE t SET v = 'another' WHERE id = 1000").unwrap();
    assert_eq!(moved(state.check(&look.files)), "the main file was written");
}

#[test]
fn proof_7_a_journal_of_another_transaction_is_another_journal() {
    let scene = Scene::new("proof-7-other");
    // Without syncs the journal is valid from its first byte on, before the main file is touched.
    let db = scene.writer("PRAGMA synchronous=off");
    fill(&db, 100);
    db.execute_batch("BEGIN; UPDATE t SET v = 'a'").unwrap();
    let look = scene.look();
    let state = look.state();
    state.check(&look.files).unwrap();
    db.execute_batch("ROLLBACK").unwrap();
    assert_eq!(moved(state.check(&look.files)), "the journal was replaced");
    db.execute_batch("BEGIN; UPDATE t SET v = 'b'").unwrap();
    assert_eq!(moved(state.check(&look.files)), "the journal was replaced");
}

#[test]
fn proof_8_a_stamp_of_the_running_tick_is_waited_out() {
    let scene = Scene::new("proof-8");
    let db = scene.writer("PRAGMA synchronous=off");
    fill(&db, 10);
    let look = Look { clock: Clock::Ticking, ..scene.look() };
    // A tick is 4 ms: on a busy machine a look may come too late, but not always.
    let is_refused = (0..1000).any(|_| {
        db.execute_batch("UPDATE t SET v = 'x' WHERE id = 1").unwrap();
        look.build().is_err()
    });
    assert!(is_refused);
    std::thread::sleep(std::time::Duration::from_millis(30));
    look.build().unwrap().check(&look.files).unwrap();
}

#[test]
fn proof_9_a_schema_of_another_state_taints_the_connection() {
    let scene = Scene::new("proof-9");
    let db = scene.writer("");
    fill(&db, 10);
    let mut overlay = Overlay::new(scene.path.clone(), HostFile::open(&scene.path).unwrap());
    let mut page = vec![0; 4096];
    let mut read = |overlay: &mut Overlay| {
        assert_eq!((overlay.begin(), overlay.read(&mut page, 0)), (0, 0));
        overlay.end();
    };
    read(&mut overlay);
    read(&mut overlay);
    overlay.prove().expect("two reads of one state");
    read(&mut overlay);
    db.execute_batch("CREATE TABLE other(x)").unwrap();
    read(&mut overlay);
    assert_eq!(moved(overlay.prove()), "the schema was read while it changed");
}

#[test]
fn proof_10_a_journal_in_memory_shows_by_its_lock_alone() {
    let scene = Scene::new("proof-10");
    let db = scene.writer("");
    fill(&db, 2000);
    db.execute_batch("PRAGMA journal_mode=memory; PRAGMA cache_size=2; BEGIN IMMEDIATE").unwrap();
    assert_eq!(ask(&scene.path, "SELECT count(*) FROM t").unwrap(), 2000, "RESERVED alone is harmless");
    db.execute_batch("UPDATE t SET v = 'spilled'").unwrap();
    assert_eq!(moved(scene.look().build()), "a writer holds it exclusively, with no journal on disk");
    let start = std::time::Instant::now();
    let error = Database::open(&scene.path).map(drop).unwrap_err();
    assert_eq!(error.kind(), Kind::Busy);
    assert!(error.what().contains("a writer holds it exclusively, with no journal on disk"), "{error}");
    assert!(start.elapsed().as_secs() < 10);
    db.execute_batch("ROLLBACK").unwrap();
    assert_eq!(ask(&scene.path, "SELECT count(*) FROM t WHERE v = 'spilled'").unwrap(), 0);
}
