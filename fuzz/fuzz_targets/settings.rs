//! Settings files and old text threads: their parsers alone, and as files through the tables that read them. The first
//! byte says what the rest is.
#![no_main]

use agent_history::error::Kind;
use agent_history::store::{encoding, hocon, jsonc};
use libfuzzer_sys::fuzz_target;
use rusqlite::Connection;
use std::cell::OnceCell;

/// Where a file stands in a home, and the tables that read it.
const FILES: [(&str, &[&str]); 5] = [
    (".config/zed/settings.json", &["zed_permissions"]),
    (".config/Code/User/settings.json", &["cody_permissions"]),
    (".sourcegraph/cody_settings.json", &["cody_permissions"]),
    (".config/JetBrains/IdeaIC2024.1/options/cody.xml", &["cody_permissions"]),
    (".local/share/zed/conversations/Greeting - 1.zed.json", &["zed_messages", "zed_threads"]),
];

thread_local! {
    static TABLES: OnceCell<Connection> = const { OnceCell::new() };
}

fn parse(bytes: &[u8]) {
    let Ok(text) = encoding::decode(bytes) else { return };
    let _ = hocon::parse(&text);
    let ours = jsonc::parse(&text);
    if serde_json::from_str::<serde_json::Value>(&text).is_ok() {
        assert!(ours.as_ref().map_or_else(|error| error.kind() == Kind::Limit, Option::is_some), "{ours:?}");
    }
}

fn scan(number: usize, bytes: &[u8]) {
    let home = std::env::temp_dir().join(format!("agent-history-fuzz-settings-{}-{number}", std::process::id()));
    let (file, tables) = FILES[number];
    let path = home.join(file);
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("a home");
    std::fs::write(path, bytes).expect("a file");
    TABLES.with(|cell| {
        let db = cell.get_or_init(|| {
            let db = Connection::open_in_memory().expect("memory");
            agent_history::register(&db).expect("tables");
            db
        });
        for table in tables {
            let mut statement = db.prepare_cached(&format!("SELECT * FROM {table}(?1)")).expect("a table");
            let mut rows = statement.query([home.to_string_lossy()]).expect("a scan");
            while let Some(row) = rows.next().expect("bad records are rows") {
                let _ = row.get_ref(0);
            }
        }
    });
}

fuzz_target!(|bytes: &[u8]| {
    let Some((kind, rest)) = bytes.split_first() else { return };
    match usize::from(*kind) % (FILES.len() + 1) {
        0 => parse(rest),
        number => scan(number - 1, rest),
    }
});
