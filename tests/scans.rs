//! What makes a scan fast must not show in its rows: decoder threads, kept documents, patterns that reach the scan.
#![cfg(feature = "bundled")]
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that cannot run may stop")]

mod support;

use rusqlite::Connection;
use rusqlite::types::Value;
use std::path::{Path, PathBuf};
use support::zed_store;

/// A number that looks random and is the same on every run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (self.0 >> 33) as usize % bound
    }

    fn text(&mut self, parts: &[&str], most: usize) -> String {
        (0..self.below(most + 1)).map(|_| parts[self.below(parts.len())]).collect()
    }
}

/// An empty `threads.db` in a folder of its own.
fn store(name: &str) -> (PathBuf, Connection) {
    let folder = std::env::temp_dir().join(format!("agent-history-scans-{}-{name}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    let db = zed_store::create(&folder).unwrap();
    (folder, db)
}

fn save(db: &Connection, id: usize, document: &str) {
    zed_store::save(db, &id.to_string(), document).unwrap();
}

fn tables() -> Connection {
    let db = Connection::open_in_memory().unwrap();
    agent_history::register(&db).unwrap();
    db
}

/// The rows of a statement, written out.
fn rows(db: &Connection, sql: &str, folder: &Path, pattern: &str) -> Vec<String> {
    let mut statement = db.prepare(sql).unwrap();
    let columns = statement.column_count();
    let parameters: &[&dyn rusqlite::ToSql] = &[&folder.to_str().unwrap(), &pattern];
    let parameters = &parameters[..statement.parameter_count()];
    let row =
        |row: &rusqlite::Row<'_>| (0..columns).map(|c| row.get::<_, Value>(c).map(|v| format!("{v:?}|"))).collect();
    let rows = statement.query_map(parameters, row).unwrap();
    rows.collect::<rusqlite::Result<_>>().unwrap()
}

/// A text as JSON, spelled with more escapes than it needs.
fn spelled(random: &mut Random, text: &str) -> String {
    let mut json = String::from("\"");
    for c in text.chars() {
        match random.below(6) {
            0 => c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| json.push_str(&format!("\\u{unit:04x}"))),
            1 if c == '/' => json.push_str("\\/"),
            _ => {
                let plain = serde_json::to_string(&c.to_string()).unwrap();
                json.push_str(&plain[1..plain.len() - 1]);
            }
        }
    }
    json + "\""
}

/// A pattern that reaches the scan finds what SQLite finds alone, whatever the texts and the spelling of their JSON.
#[test]
fn no_pattern_loses_a_row() {
    const PARTS: [&str; 18] = [
        "abc", "ABC", "b", "c/d", "%", "_", "\"", "\\", "\n", "é", "😀", " ", "image", "Resume", "[", "]", "*", "1234",
    ];
    const PATTERN: [&str; 20] = [
        "%", "%", "_", "*", "?", "abc", "aBC", "bc", "c/d", "é", "😀", "\"", "\\", " ", "image", "resume", "[", "]",
        "[^a]", "1234",
    ];
    let mut random = Random(7);
    let (folder, db) = store("patterns");
    for id in 0..60 {
        let mut text = || {
            let text = random.text(&PARTS, 6);
            spelled(&mut random, &text)
        };
        let (said, asked, answer, old) = (text(), text(), text(), text());
        let modern = format!(
            r#"{{"messages":[{{"User":{{"id":"u","content":[{{"Text":{said}}},{{"Image":{{"source":"AAAA"}}}}]}}}},"Resume",
            {{"Agent":{{"content":[{{"ToolUse":{{"id":"t","name":"grep","raw_input":"","input":{{"a": 1234, "regex": {asked}}},
            "is_input_complete":true}}}}],"tool_results":{{"t":{{"tool_use_id":"t","tool_name":"grep","is_error":false,
            "content":[{{"Text":{answer}}},{{"Image":{{"source":"AAAA"}}}},{{"odd": {said}}}],"output":null}}}}}}}}],"version":"0.3.0"}}"#
        );
        let versionless = format!(
            r#"{{"messages":[{{"id":0,"role":"user","text":{old},"tool_uses":[],"tool_results":[],"context":{said}}}]}}"#
        );
        save(&db, id, if id % 3 == 0 { &versionless } else { &modern });
    }
    let tables = tables();
    for _ in 0..120 {
        let pattern = random.text(&PATTERN, 5);
        for operator in ["LIKE", "GLOB"] {
            let sql = |column: &str| {
                format!(
                    "SELECT session_id, message_index, item_index FROM zed_messages(?1) WHERE {column} {operator} ?2"
                )
            };
            let pushed = rows(&tables, &sql("text"), &folder, &pattern);
            assert_eq!(pushed, rows(&tables, &sql("+text"), &folder, &pattern), "{operator} {pattern:?}");
        }
        let escaped =
            "SELECT session_id, message_index, item_index FROM zed_messages(?1) WHERE text LIKE ?2 ESCAPE '\\'";
        if !pattern.ends_with('\\') {
            let alone = escaped.replace(" text ", " +text ");
            assert_eq!(
                rows(&tables, escaped, &folder, &pattern),
                rows(&tables, &alone, &folder, &pattern),
                "{pattern:?}"
            );
        }
    }
    std::fs::remove_dir_all(folder).unwrap();
}

/// However many threads decode, the rows and their order are the same; damage and deletions among them too.
#[test]
fn decoder_threads_change_no_row() {
    let mut random = Random(3);
    let (folder, db) = store("threads");
    for id in 0..80 {
        let noise: String =
            (0..40_000 + random.below(20_000)).map(|_| char::from(b'0' + random.below(70) as u8)).collect();
        let noise = serde_json::to_string(&noise).unwrap();
        let end = if id % 9 == 4 { "" } else { "]}" };
        let image = format!(r#"{{"User":{{"id":"u","content":[{{"Image":{{"source":{noise}}}}}]}}}}"#);
        save(
            &db,
            id,
            &format!(r#"{{"title":"t","messages":[{{"User":{{"id":"u","content":[{{"Text":"{id}"}}]}}}},{image}{end}"#),
        );
        if id % 20 == 7 {
            db.execute("UPDATE threads SET data = substr(data, 1, 20000) WHERE id = ?1", [id.to_string()]).unwrap();
        }
    }
    let ask = |threads: i64| {
        let tables = tables();
        tables.query_row("SELECT agent_history_config('threads', ?1)", [threads], |_| Ok(())).unwrap();
        let sql = "SELECT session_id, message_index, kind, text, model, source_pointer, error FROM zed_messages(?1)";
        let first = rows(&tables, &format!("{sql} LIMIT 1"), &folder, "");
        let all = rows(&tables, sql, &folder, "");
        assert_eq!(first, all[..1]);
        // A scan that is left amid its work takes its threads with it.
        let some = rows(&tables, &format!("{sql} LIMIT 100"), &folder, "");
        assert_eq!(some, all[..100]);
        all
    };
    let alone = ask(0);
    assert!(alone.len() > 150, "{}", alone.len());
    assert!(alone.iter().any(|row| row.contains("zstd:")) && alone.iter().any(|row| row.contains("json:")));
    assert_eq!(ask(1), alone);
    assert_eq!(ask(3), alone);
    std::fs::remove_dir_all(folder).unwrap();
}

/// A document that is kept for the next lookup is given out only while its store is what it was.
#[test]
fn a_lookup_sees_what_was_saved_since() {
    let (folder, db) = store("kept");
    let say = |id: usize, text: &str| {
        save(&db, id, &format!(r#"{{"messages":[{{"User":{{"id":"u","content":[{{"Text":"{text}"}}]}}}}]}}"#))
    };
    say(1, "first");
    say(2, "other");
    let tables = tables();
    let sql = "SELECT text FROM zed_messages(?1) WHERE session_id = ?2";
    let told = |text: &str| vec![format!("{:?}|", Value::Text(text.into()))];
    for text in ["first", "second", "third"] {
        say(1, text);
        for _ in 0..3 {
            assert_eq!(rows(&tables, sql, &folder, "1"), told(text));
            assert_eq!(rows(&tables, sql, &folder, "2"), told("other"));
        }
    }
    let join = "SELECT b.text FROM zed_messages(?1) AS a JOIN zed_messages(?1) AS b ON b.session_id = a.session_id AND b.text = ?2";
    assert_eq!(rows(&tables, join, &folder, "third"), told("third"));
    say(1, "fourth");
    assert_eq!(rows(&tables, join, &folder, "third"), Vec::<String>::new());
    std::fs::remove_dir_all(folder).unwrap();
}

/// A turn of a Cody chat that is larger than what is kept of a chat that is looked ahead into (4 MiB), or than a value
/// that is read whole: whatever is asked for, and wherever it stands, every message is there.
#[test]
fn a_large_turn_takes_no_message_with_it() {
    let folder = std::env::temp_dir().join(format!("agent-history-scans-{}-turns", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("state.vscdb");
    let (tables, store) = (tables(), Connection::open(&path).unwrap());
    store.execute_batch("CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)").unwrap();
    for (large, length) in [(0, 4_194_000), (0, 4_194_304), (0, 9 << 20), (1, 5 << 20), (2, 5 << 20)] {
        let turn = |number: usize| {
            let answer = "x".repeat(if number == large { length } else { 5 });
            format!(r#"{{"humanMessage":{{"text":"q{number}"}},"assistantMessage":{{"text":"{answer}"}}}}"#)
        };
        let turns = (0..3).map(turn).collect::<Vec<_>>().join(",");
        let chat = format!(r#"{{"interactions":[{turns}],"lastInteractionTimestamp":"2026-03-01T09:00:00Z"}}"#);
        let value = format!(r#"{{"cody-local-chatHistory-v2":{{"https://s.com/-ana":{{"chat":{{"c":{chat}}}}}}}}}"#);
        store.execute("INSERT INTO ItemTable VALUES ('sourcegraph.cody-ai', ?1)", [value]).unwrap();
        let ask = |sql: &str| rows(&tables, sql, &path, "");
        let text = |index: usize| match index {
            0 | 2 | 4 => 2,
            _ if index / 2 == large => length,
            _ => 5,
        };
        let all: Vec<String> = (0..6).map(|index| format!("Integer({index})|Integer({})|", text(index))).collect();
        for more in ["", ", project_path", ", timestamp_utc", ", model"] {
            for only in ["", "WHERE session_id = 'c'"] {
                let sql = format!("SELECT message_index, length(text){more} FROM cody_messages(?1) {only}");
                let told = ask(&sql);
                assert_eq!(told.len(), 6, "{sql}, {large}");
                assert!(
                    told.iter().zip(&all).all(|(told, wanted)| told.starts_with(wanted)),
                    "{sql}, {large}: {told:?}"
                );
            }
        }
        let chats = ask("SELECT message_count, interaction_count FROM cody_chats(?1)");
        assert_eq!(chats, ["Integer(6)|Integer(3)|"], "{large}");
    }
    std::fs::remove_dir_all(folder).unwrap();
}
