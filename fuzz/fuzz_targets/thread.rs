//! A Zed thread document through every table that reads it, in a store that is real.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rusqlite::Connection;
use std::cell::OnceCell;

const TABLES: [&str; 6] =
    ["zed_messages", "zed_threads", "zed_tool_calls", "zed_edits", "zed_token_usage", "zed_permissions"];

thread_local! {
    static STORE: OnceCell<(String, Connection, Connection)> = const { OnceCell::new() };
}

fn store() -> (String, Connection, Connection) {
    let folder = std::env::temp_dir().join(format!("agent-history-fuzz-thread-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for the store");
    let path = folder.join("threads.db");
    let _ = std::fs::remove_file(&path);
    let writer = Connection::open(&path).expect("a store");
    writer
        .execute_batch(
            "PRAGMA synchronous = OFF;
             CREATE TABLE threads (id TEXT PRIMARY KEY, summary TEXT NOT NULL, updated_at TEXT NOT NULL,
               data_type TEXT NOT NULL, data BLOB NOT NULL);
             INSERT INTO threads VALUES ('t', 's', '2026-01-01T00:00:00Z', 'json', x'')",
        )
        .expect("a table");
    let reader = Connection::open_in_memory().expect("memory");
    agent_history::register(&reader).expect("tables");
    (path.to_string_lossy().into_owned(), writer, reader)
}

fuzz_target!(|bytes: &[u8]| {
    STORE.with(|cell| {
        let (path, writer, reader) = cell.get_or_init(store);
        writer.execute("UPDATE threads SET data = ?1", [bytes]).expect("an update");
        for table in TABLES {
            let mut statement = reader.prepare_cached(&format!("SELECT * FROM {table}(?1)")).expect("a table");
            let mut rows = statement.query([path]).expect("a scan");
            while let Some(row) = rows.next().expect("bad records are rows") {
                let _ = row.get_ref(0);
            }
        }
    });
});
