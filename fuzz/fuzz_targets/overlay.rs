//! A sound store with a log, a journal and a first page that lie. The first byte says which of them the rest is.
#![no_main]

use agent_history::store::sqlite::Database;
use libfuzzer_sys::fuzz_target;
use rusqlite::Connection;
use std::path::PathBuf;
use std::sync::OnceLock;

static SOUND: OnceLock<(PathBuf, Vec<u8>)> = OnceLock::new();

fn sound() -> (PathBuf, Vec<u8>) {
    let folder = std::env::temp_dir().join(format!("agent-history-fuzz-overlay-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for the store");
    let path = folder.join("store.db");
    let _ = std::fs::remove_file(&path);
    let db = Connection::open(&path).expect("a store");
    db.execute_batch(
        "PRAGMA page_size = 512; CREATE TABLE t(a, b);
         WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60) INSERT INTO t SELECT i, hex(zeroblob(i)) FROM n",
    )
    .expect("rows");
    drop(db);
    let bytes = std::fs::read(&path).expect("the store");
    (path, bytes)
}

fuzz_target!(|bytes: &[u8]| {
    let Some((which, rest)) = bytes.split_first() else { return };
    let (path, main) = SOUND.get_or_init(sound);
    let side = |suffix: &str| PathBuf::from(format!("{}{suffix}", path.display()));
    let mut main = main.clone();
    let _ = std::fs::remove_file(side("-wal"));
    let _ = std::fs::remove_file(side("-journal"));
    match which % 3 {
        0 => std::fs::write(side("-wal"), rest).expect("a log"),
        1 => std::fs::write(side("-journal"), rest).expect("a journal"),
        _ => main.iter_mut().zip(rest).for_each(|(byte, change)| *byte ^= change),
    }
    std::fs::write(path, main).expect("the store");
    if let Ok(mut database) = Database::open(path) {
        let _ = database.query("SELECT a, b FROM t", &[], |row| Ok(row.integer(0)));
        if let Ok(mut blob) = database.blob("t", "b", 60) {
            let _ = blob.fill(&mut [0; 64]);
        }
    }
});
