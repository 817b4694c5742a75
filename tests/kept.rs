//! What a connection keeps between scans must not show in its answers: with it, without it, asked again, asked for
//! other columns, the rows are the same.
#![cfg(feature = "bundled")]

mod support;

use agent_history::table::AnyTable;
use rusqlite::Connection;
use rusqlite::functions::FunctionFlags;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use support::rows::{Answer, Cell, ask};
use support::script::Golden;
use support::{Result, fixtures, zed_store};

/// A connection with the tables and a cache of so many bytes; `None` for the usual one.
fn open(cache_bytes: Option<i64>) -> Result<Connection> {
    let db = Connection::open_in_memory()?;
    agent_history::register(&db)?;
    if let Some(bytes) = cache_bytes {
        db.query_row("SELECT agent_history_config('cache_bytes', ?1)", [bytes], |_| Ok(()))?;
    }
    Ok(db)
}

/// Every golden file, asked again on the same connection, and without a cache. A file that changes the settings, makes
/// tables or tells the settings stays out of it: asked again it answers differently by its nature.
#[test]
fn golden_files_answer_the_same_again_and_without_a_cache() -> Result<()> {
    let is_plain = |golden: &Golden| {
        golden.statements.iter().all(|one| {
            let sql = one.sql.trim_start().to_ascii_uppercase();
            (sql.starts_with("SELECT") || sql.starts_with("WITH")) && !sql.contains("AGENT_HISTORY_CONFIG")
        })
    };
    let all = Golden::all("")?;
    let plain: Vec<&Golden> = all.iter().filter(|golden| is_plain(golden)).collect();
    assert!(plain.len() > all.len() / 2, "{} of {}", plain.len(), all.len());
    for golden in plain {
        let (kept, none) = (open(None)?, open(Some(0))?);
        let answers = |db: &Connection| golden.statements.iter().map(|one| ask(db, &one.sql)).collect::<Vec<Answer>>();
        let first = answers(&kept);
        assert_eq!(answers(&kept), first, "{} again", golden.path.display());
        assert_eq!(answers(&none), first, "{} without a cache", golden.path.display());
    }
    Ok(())
}

/// Tables whose rows come from the messages of threads.
const TABLES: [&str; 8] = [
    "zed_messages",
    "zed_tool_calls",
    "zed_edits",
    "zed_token_usage",
    "zed_permissions",
    "agent_messages",
    "agent_tool_calls",
    "agent_timeline",
];
/// Those whose rows come from Cody's chats.
const CODY_TABLES: [&str; 2] = ["cody_messages", "agent_messages"];

/// Every fixture: all short columns at once are kept, and then some of them, none, and the rows' identities are given.
#[test]
fn fewer_columns_of_kept_rows_are_the_same_cells() -> Result<()> {
    let tables: Vec<&'static dyn AnyTable> = agent_history::agents::tables();
    let (kept, none) = (open(None)?, open(Some(0))?);
    let (all, cody, mut rows) = (fixtures::all()?, fixtures::built().join("cody"), 0);
    for home in &all {
        for name in if home.starts_with(&cody) { &CODY_TABLES[..] } else { &TABLES } {
            let table = tables.iter().find(|table| table.name() == *name).ok_or("no such table")?;
            let layout = table.layout();
            let short: Vec<&str> = layout.columns().iter().filter(|column| column.is_short).map(|it| it.name).collect();
            let from = format!("FROM {name}('{}')", home.to_string_lossy().replace('\'', "''"));
            let asked = |db: &Connection, columns: &[&str]| {
                let sql = format!("SELECT {} {from}", columns.join(", "));
                let answer = ask(db, &sql);
                assert_eq!(answer.error, None, "{sql}");
                answer.rows
            };
            let columns: Vec<&str> = short.into_iter().chain(["rowid"]).collect();
            let want = asked(&none, &columns);
            rows += want.len();
            for step in [1, 1, 2, 3, columns.len() - 1] {
                let some: Vec<&str> = columns.iter().rev().step_by(step).copied().collect();
                let cells = want.iter().map(|row| row.iter().rev().step_by(step).cloned().collect());
                assert_eq!(asked(&kept, &some), cells.collect::<Vec<Vec<Cell>>>(), "{some:?} {from}");
            }
            assert_eq!(asked(&kept, &["count(*)"]), [[Cell::Integer(want.len() as i64)]]);
        }
    }
    assert!(rows > 1_000, "{rows}");
    Ok(())
}

/// A new folder with an empty `threads.db`, and a connection that writes to it as Zed does.
fn store(name: &str) -> Result<(PathBuf, Connection)> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("kept").join(name);
    fs::remove_dir_all(&folder).ok();
    let db = zed_store::create(&folder)?;
    Ok((folder, db))
}

/// Saves a thread of so many prompts.
fn save(db: &Connection, id: &str, prompts: usize) -> Result<()> {
    let messages = vec![r#"{"User":{"id":"u","content":[{"Text":"x"}]}}"#; prompts].join(",");
    let document = format!(r#"{{"title":"T","messages":[{messages}],"version":"0.3.0"}}"#);
    zed_store::save(db, id, &document)
}

fn counts(db: &Connection, sql: &str) -> Vec<String> {
    let answer = ask(db, sql);
    assert_eq!(answer.error, None, "{sql}");
    answer.rows.iter().map(|row| row.iter().map(Cell::to_string).collect::<Vec<_>>().join(" ")).collect()
}

/// Each statement of a transaction sees what was saved before it, whatever was kept for the one before.
#[test]
fn kept_rows_are_never_stale() -> Result<()> {
    let (folder, writer) = store("stale")?;
    save(&writer, "a", 2)?;
    save(&writer, "b", 3)?;
    let db = open(None)?;
    let sql = format!("SELECT session_id, count(*) FROM zed_messages('{}') GROUP BY 1", folder.display());
    db.execute_batch("BEGIN")?;
    assert_eq!(counts(&db, &sql), ["'a' 2", "'b' 3"]);
    assert_eq!(counts(&db, &sql), ["'a' 2", "'b' 3"]);
    save(&writer, "b", 4)?;
    assert_eq!(counts(&db, &sql), ["'a' 2", "'b' 4"]);
    writer.execute("DELETE FROM threads WHERE id = 'a'", [])?;
    save(&writer, "c", 1)?;
    assert_eq!(counts(&db, &sql), ["'b' 4", "'c' 1"]);
    assert_eq!(counts(&db, &sql), ["'b' 4", "'c' 1"]);
    db.execute_batch("COMMIT")?;
    Ok(())
}

/// A thread one of whose cells is too long for a short column is given row by row, the others around it as ever.
#[test]
fn a_thread_that_cannot_be_packed_gives_its_rows_once() -> Result<()> {
    let (folder, writer) = store("long")?;
    save(&writer, "a", 2)?;
    let message = |id: &str| format!(r#"{{"User":{{"id":"{id}","content":[{{"Text":"x"}}]}}}}"#);
    let messages = [message("u"), message(&"u".repeat(5_000)), message("v")].join(",");
    zed_store::save(&writer, "b", &format!(r#"{{"messages":[{messages}],"version":"9.9.9"}}"#))?;
    save(&writer, "c", 1)?;
    let db = open(None)?;
    let columns = "session_id, message_index, length(message_id), error IS NULL, rowid IS NOT NULL";
    let sql = format!("SELECT {columns} FROM zed_messages('{}')", folder.display());
    let want = [
        "'a' 0 1 1 1",
        "'a' 1 1 1 1",
        "'b' 0 1 1 1",
        "'b' 1 5000 1 1",
        "'b' 2 1 1 1",
        "'b' NULL NULL 0 1",
        "'c' 0 1 1 1",
    ];
    assert_eq!(counts(&db, &sql), want);
    assert_eq!(counts(&db, &sql), want);
    Ok(())
}

/// Cody's rows are kept by store.
#[test]
fn kept_rows_of_a_cody_store_are_never_stale() -> Result<()> {
    let (folder, _) = store("cody")?;
    let path = folder.join("state.vscdb");
    let writer = Connection::open(&path)?;
    writer.execute_batch("CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)")?;
    let save = |chats: &[(&str, usize)]| -> Result<()> {
        let turn =
            r#"{"humanMessage":{"speaker":"human","text":"q"},"assistantMessage":{"speaker":"assistant","text":"a"}}"#;
        let chat = |(id, turns): &(&str, usize)| {
            format!(r#""{id}":{{"id":"{id}","interactions":[{}]}}"#, vec![turn; *turns].join(","))
        };
        let chats = chats.iter().map(chat).collect::<Vec<_>>().join(",");
        let value = format!(r#"{{"cody-local-chatHistory-v2":{{"https://a.example/-ana":{{"chat":{{{chats}}}}}}}}}"#);
        writer.execute("INSERT INTO ItemTable VALUES ('sourcegraph.cody-ai', ?1)", [value])?;
        Ok(())
    };
    save(&[("a", 1), ("b", 2)])?;
    let db = open(None)?;
    let from = format!("FROM cody_messages('{}')", path.display());
    let sql = format!("SELECT session_id, count(*) {from} GROUP BY 1");
    let few = format!("SELECT count(*) {from} WHERE turn_type = 'user'");
    for _ in 0..3 {
        assert_eq!(counts(&db, &sql), ["'a' 2", "'b' 4"]);
        assert_eq!(counts(&db, &few), ["3"]);
    }
    save(&[("a", 3), ("c", 1)])?;
    for _ in 0..2 {
        assert_eq!(counts(&db, &sql), ["'a' 6", "'c' 2"]);
        assert_eq!(counts(&db, &few), ["4"]);
    }
    let mut statement = db.prepare(&format!("SELECT session_id {from}"))?;
    let mut rows = statement.query([])?;
    assert!(rows.next()?.is_some());
    save(&[("d", 5)])?;
    while rows.next()?.is_some() {}
    drop(rows);
    assert_eq!(counts(&db, &sql), ["'d' 10"]);
    // The same store by another name has another root.
    let roots = |root: &Path| counts(&db, &format!("SELECT DISTINCT root FROM cody_messages('{}')", root.display()));
    assert_eq!(roots(&path), [format!("'{}'", path.display())]);
    assert_eq!(roots(&folder), [format!("'{}'", folder.display())]);
    Ok(())
}

/// Rows go out packed, more and more of them at once, up to one that cannot be: it and those behind it go out one by one.
#[test]
fn a_chat_that_cannot_be_packed_gives_its_rows_once() -> Result<()> {
    let (folder, _) = store("cody-long")?;
    let path = folder.join("state.vscdb");
    let writer = Connection::open(&path)?;
    writer.execute_batch("CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)")?;
    let (db, few, none) = (open(None)?, open(Some(50_000))?, open(Some(0))?);
    let columns = "session_id, message_index, item_index, length(tool_use_id), rowid, source_pointer";
    let sql = format!("SELECT {columns} FROM cody_messages('{}')", path.display());
    for long in [None, Some(0), Some(1), Some(6), Some(700), Some(1_999)] {
        let turn = |index: usize| {
            let id = "i".repeat(if Some(index) == long { 5_000 } else { 5 });
            let call = format!(r#"{{"type":"tool_call","tool_call":{{"id":"{id}","name":"n"}}}}"#);
            let answer = format!(r#""assistantMessage":{{"content":[{{"type":"text","text":"a"}},{call},{call}]}}"#);
            format!(r#"{{"humanMessage":{{"text":"q"}},{answer}}}"#)
        };
        let chat = |id: &str, turns: std::ops::Range<usize>| {
            format!(r#""{id}":{{"interactions":[{}]}}"#, turns.map(turn).collect::<Vec<_>>().join(","))
        };
        let chats = [chat("a", 0..1), chat("b", 1..5), chat("c", 5..1_995), chat("d", 1_995..2_000)].join(",");
        let value = format!(r#"{{"cody-local-chatHistory-v2":{{"https://a.example/-ana":{{"chat":{{{chats}}}}}}}}}"#);
        writer.execute("INSERT INTO ItemTable VALUES ('sourcegraph.cody-ai', ?1)", [value])?;
        let want = counts(&none, &sql);
        assert_eq!(want.len(), 4 * 2_000);
        for _ in 0..2 {
            assert_eq!(counts(&db, &sql), want, "{long:?}");
            assert_eq!(counts(&few, &sql), want, "{long:?}, no memory for them all");
        }
        assert_eq!(counts(&db, &format!("{sql} LIMIT 3")), want[..3]);
    }
    Ok(())
}

/// Rows that a scan gave until it was interrupted are not all rows.
#[test]
fn an_interrupted_scan_keeps_nothing() -> Result<()> {
    let (folder, writer) = store("interrupted")?;
    let text = "x".repeat(100_000);
    let prompts = vec![format!(r#"{{"User":{{"id":"u","content":[{{"Text":"{text}"}}]}}}}"#); 60].join(",");
    zed_store::save(&writer, "a", &format!(r#"{{"title":"T","messages":[{prompts}],"version":"0.3.0"}}"#))?;
    save(&writer, "b", 2)?;
    let turn = format!(r#"{{"humanMessage":{{"text":"{text}"}},"assistantMessage":{{"text":"a"}}}}"#);
    let chats: Vec<_> = (0..30).map(|id| format!(r#""{id}":{{"id":"{id}","interactions":[{turn}]}}"#)).collect();
    let value =
        format!(r#"{{"cody-local-chatHistory-v2":{{"https://a.example/-ana":{{"chat":{{{}}}}}}}}}"#, chats.join(","));
    let cody = Connection::open(folder.join("state.vscdb"))?;
    cody.execute_batch("CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)")?;
    cody.execute("INSERT INTO ItemTable VALUES ('sourcegraph.cody-ai', ?1)", [value])?;
    for (table, rows) in [("zed_messages", 62), ("cody_messages", 60)] {
        let from = format!("FROM {table}('{}')", folder.display());
        for stop_at in [1, 2, 3, 20, 58, 59, 60] {
            let db = open(None)?;
            let (host, seen) = (db.get_interrupt_handle(), AtomicUsize::new(0));
            db.create_scalar_function("stop", 1, FunctionFlags::SQLITE_UTF8, move |_| {
                if seen.fetch_add(1, Ordering::Relaxed) + 1 == stop_at {
                    host.interrupt();
                }
                Ok(1)
            })?;
            let answer = ask(&db, &format!("SELECT count(stop(turn_type)) {from}"));
            assert_eq!(answer.error.as_deref(), Some("interrupted"), "{table} {stop_at}");
            assert_eq!(
                counts(&db, &format!("SELECT count(turn_type) {from}")),
                [rows.to_string()],
                "{table} {stop_at}"
            );
        }
    }
    Ok(())
}

/// A scan lists threads as of its start; what is saved while it runs may be in it or not, and is in the next.
#[test]
fn what_is_saved_amid_a_scan_is_in_the_next() -> Result<()> {
    let (folder, writer) = store("amid")?;
    for id in ["a", "b", "c"] {
        save(&writer, id, 2)?;
    }
    let db = open(None)?;
    let sql = format!("SELECT session_id, kind FROM zed_messages('{}')", folder.display());
    for (round, is_kept) in [(0_usize, false), (1, true)] {
        let mut statement = db.prepare(&sql)?;
        let mut rows = statement.query([])?;
        assert!(rows.next()?.is_some());
        save(&writer, "b", 5 + round)?;
        let mut rest = 0;
        while rows.next()?.is_some() {
            rest += 1;
        }
        // Rows that were kept are those of the scan's start; a document may be read later than that.
        let (then, now) = (1 + [2, 5][round] + 2, 1 + 5 + round + 2);
        assert!(rest == then || (rest == now && !is_kept), "{rest}");
        drop(rows);
        let now = counts(&db, &format!("SELECT count(*) FROM ({sql})"));
        assert_eq!(now, [(2 + 5 + round + 2).to_string()]);
        assert_eq!(counts(&db, &format!("SELECT count(*) FROM ({sql})")), now);
    }
    Ok(())
}

/// The other side of a join is a scan for each row: it sees what was saved since.
#[test]
fn a_join_sees_what_is_saved_while_it_runs() -> Result<()> {
    let (folder, writer) = store("join")?;
    save(&writer, "a", 1)?;
    save(&writer, "b", 1)?;
    let db = open(None)?;
    let from = format!("zed_messages('{}')", folder.display());
    assert_eq!(counts(&db, &format!("SELECT count(*) FROM {from}")), ["2"]);
    let ids = "SELECT 'a' AS id UNION ALL SELECT 'b' UNION ALL SELECT 'a'";
    let sql = format!("SELECT (SELECT count(*) FROM {from} WHERE session_id = id) FROM ({ids})");
    let mut statement = db.prepare(&sql)?;
    let mut rows = statement.query([])?;
    let mut seen: Vec<i64> = Vec::new();
    while let Some(row) = rows.next()? {
        seen.push(row.get(0)?);
        save(&writer, "b", 3)?;
        save(&writer, "a", 7)?;
    }
    assert_eq!(seen, [1, 3, 7]);
    Ok(())
}

/// What a limit costs is told anew when the limit is another.
#[test]
fn a_changed_limit_is_seen() -> Result<()> {
    let (folder, writer) = store("limit")?;
    save(&writer, "a", 50)?;
    let db = open(None)?;
    let sql = format!("SELECT count(*), count(error) FROM zed_messages('{}')", folder.display());
    for (bytes, want) in [(1 << 20, "50 0"), (1_000, "20 1"), (1 << 20, "50 0")] {
        db.query_row("SELECT agent_history_config('max_document_bytes', ?1)", [bytes], |_| Ok(()))?;
        let told = counts(&db, &sql);
        assert_eq!(counts(&db, &sql), told);
        assert!(told == [want] || bytes == 1_000, "{told:?}");
        assert_ne!(told == ["50 0"], bytes == 1_000, "{told:?}");
    }
    Ok(())
}
