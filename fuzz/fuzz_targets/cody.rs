//! Cody's history file and the old XML through every table that reads them.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rusqlite::Connection;
use std::cell::OnceCell;

const TABLES: [&str; 8] = [
    "cody_chats", "cody_messages", "cody_context", "cody_tool_calls", "cody_edits", "cody_permissions",
    "cody_model_prefs", "cody_prompts",
];

thread_local! {
    static TABLES_IN: OnceCell<Connection> = const { OnceCell::new() };
}

fuzz_target!(|bytes: &[u8]| {
    let Some((first, rest)) = bytes.split_first() else { return };
    let name = match first % 4 {
        0 => "cody-local-chatHistory-v2",
        1 => "cody_history.xml",
        2 => "cody-model-preferences",
        _ => "cody-chat-history.json",
    };
    let folder = std::env::temp_dir().join(format!("agent-history-fuzz-cody-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for the store");
    let path = folder.join(name);
    std::fs::write(&path, rest).expect("a store");
    TABLES_IN.with(|cell| {
        let db = cell.get_or_init(|| {
            let db = Connection::open_in_memory().expect("memory");
            agent_history::register(&db).expect("tables");
            db
        });
        for table in TABLES {
            let mut statement = db.prepare_cached(&format!("SELECT * FROM {table}(?1)")).expect("a table");
            let mut rows = statement.query([path.to_string_lossy()]).expect("a scan");
            while let Some(row) = rows.next().expect("bad records are rows") {
                let _ = row.get_ref(0);
            }
        }
    });
});
