//! Proof 11: a journal that names a super-journal counts while that file exists.

use super::{Look, Scene, ask, fill, moved};
use crate::store::sqlite::host::HostFile;
use crate::store::sqlite::state::journal::MAGIC;
use crate::store::sqlite::state::{Clock, Files};
use std::io::Write;
use std::path::{Path, PathBuf};

/// A hot journal: the files as they are in the middle of a transaction that has spilled.
fn hot(scene: &Scene) -> PathBuf {
    let db = scene.writer("");
    fill(&db, 2000);
    db.execute_batch("PRAGMA cache_size=2; BEGIN; UPDATE t SET v = 'spilled'").unwrap();
    scene.copy("hot.db")
}

/// What SQLite itself makes of a copy.
fn by_sqlite(path: &Path) -> i64 {
    let copy = path.with_file_name("copy.db");
    for suffix in ["", "-journal"] {
        let beside = |path: &Path| path.with_file_name(format!("{}{suffix}", path.file_name().unwrap().display()));
        std::fs::copy(beside(path), beside(&copy)).unwrap();
    }
    let db = rusqlite::Connection::open(&copy).unwrap();
    db.query_row(SPILLED, [], |row| row.get(0)).unwrap()
}

const SPILLED: &str = "SELECT count(*) FROM t WHERE v = 'spilled'";

#[test]
fn a_hot_journal_is_undone() {
    let scene = Scene::new("hot");
    let path = hot(&scene);
    assert_eq!(ask(&path, SPILLED).unwrap(), 0);
    assert_eq!(by_sqlite(&path), 0);
}

#[test]
fn proof_11_the_super_journal_decides() {
    let scene = Scene::new("super");
    let path = hot(&scene);
    let name = scene.folder.join("hot.db-mj0123AB9CD");
    let bytes = name.as_os_str().as_encoded_bytes();
    let mut tail = (0x4000_0000u32 / 4096 + 1).to_be_bytes().to_vec();
    tail.extend(bytes);
    tail.extend((bytes.len() as u32).to_be_bytes());
    tail.extend(bytes.iter().fold(0u32, |sum, byte| sum.wrapping_add(u32::from(*byte))).to_be_bytes());
    tail.extend(MAGIC);
    let journal = scene.folder.join("hot.db-journal");
    std::fs::File::options().append(true).open(journal).unwrap().write_all(&tail).unwrap();

    let dead = ask(&path, SPILLED).unwrap();
    assert!(dead > 0, "the transaction over several databases was committed");
    assert_eq!(by_sqlite(&path), dead);

    let look = Look { files: Files::of(path.clone()), main: HostFile::open(&path).unwrap(), clock: Clock::Exact };
    let state = look.state();
    std::fs::write(&name, "a list of journals").unwrap();
    assert_eq!(moved(state.check(&look.files)), "the transaction over several databases ended");
    assert_eq!(ask(&path, SPILLED).unwrap(), 0, "not committed: undone");
}
