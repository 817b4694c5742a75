//! One cell of the agent panel's database. The first byte says which, the rest is its text.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rusqlite::Connection;
use std::cell::OnceCell;
use std::path::PathBuf;

const TABLES: [&str; 6] =
    ["zed_sidebar_threads", "zed_drafts", "zed_worktrees", "zed_terminals", "zed_permissions", "agent_timeline"];

const CELLS: [(&str, &str); 14] = [
    ("sidebar_threads", "session_id"), ("sidebar_threads", "title"), ("sidebar_threads", "updated_at"),
    ("sidebar_threads", "created_at"), ("sidebar_threads", "folder_paths"), ("sidebar_threads", "folder_paths_order"),
    ("sidebar_threads", "remote_connection"), ("scoped_kv_store", "value"), ("scoped_kv_store", "key"),
    ("trusted_worktrees", "absolute_path"), ("sidebar_terminal_threads", "folder_paths"),
    ("sidebar_terminal_threads", "created_at"), ("sidebar_terminal_threads", "remote_connection"),
    ("archived_git_worktrees", "worktree_path"),
];

thread_local! {
    static STORE: OnceCell<(PathBuf, Connection, Connection)> = const { OnceCell::new() };
}

fn store() -> (PathBuf, Connection, Connection) {
    let home = std::env::temp_dir().join(format!("agent-history-fuzz-panel-{}", std::process::id()));
    let folder = home.join(".local/share/zed/db/0-stable");
    std::fs::create_dir_all(&folder).expect("a folder for the store");
    let writer = Connection::open(folder.join("db.sqlite")).expect("a store");
    writer
        .execute_batch(include_str!("../../fixtures/zed/seed/.local/share/zed/db/0-stable/db.sqlite.sql"))
        .expect("the fixture's rows");
    writer.execute_batch("PRAGMA synchronous = OFF").expect("no syncs");
    let reader = Connection::open_in_memory().expect("memory");
    agent_history::register(&reader).expect("tables");
    (home, writer, reader)
}

fuzz_target!(|bytes: &[u8]| {
    let Some((cell, rest)) = bytes.split_first() else { return };
    let (table, column) = CELLS[usize::from(*cell) % CELLS.len()];
    let text = String::from_utf8_lossy(rest);
    STORE.with(|store_cell| {
        let (home, writer, reader) = store_cell.get_or_init(store);
        let first = format!("WHERE rowid = (SELECT min(rowid) FROM {table})");
        let before: Option<String> =
            writer.query_row(&format!("SELECT {column} FROM {table} {first}"), [], |row| row.get(0)).expect("a cell");
        let write = |text: Option<&str>| writer.execute(&format!("UPDATE {table} SET {column} = ?1 {first}"), [text]);
        if write(Some(&text)).is_err() {
            return;
        }
        for table in TABLES {
            let mut statement = reader.prepare_cached(&format!("SELECT * FROM {table}(?1)")).expect("a table");
            let mut rows = statement.query([home.to_string_lossy()]).expect("a scan");
            while let Some(row) = rows.next().expect("bad records are rows") {
                let _ = row.get_ref(0);
            }
        }
        write(before.as_deref()).expect("what was there");
    });
});
