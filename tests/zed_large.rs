//! A thread as large as threads get, and a store of many: memory does not grow with them, and what no statement asks for
//! is not read.
//!
//! Each question is asked by a process of its own, which tells the most memory that it had and the bytes that it read.
#![cfg(target_os = "linux")]

mod support;

use rusqlite::Connection;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use support::rows::{Cell, ask};
use support::{Result, zed_store};

/// In the environment of a process that asks: the statement.
const ASK: &str = "ZED_LARGE_ASK";
/// And of one that makes a store: its name.
const MAKE: &str = "ZED_LARGE_MAKE";

/// An edit stores the whole file twice.
const EDITS: usize = 1250;
const FILE_BYTES: usize = 80_000;
const THREADS: usize = 1000;
const THREAD_BYTES: usize = 100_000;

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("zed-large").join(name)
}

fn store(name: &str) -> Result<Connection> {
    let db = zed_store::create(&folder(name))?;
    db.pragma_update(None, "synchronous", false)?;
    Ok(db)
}

/// Letters that no compressor foresees.
fn noise(seed: u64, bytes: usize) -> String {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut letter = || {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        // From `0` to `[`: nothing that JSON would spell otherwise.
        char::from(b'0' + ((state >> 56) % 44) as u8)
    };
    (0..bytes).map(|_| letter()).collect()
}

/// One document of 200 MB: a long session of edits.
fn make_giant() -> Result<()> {
    let mut frame = zstd::Encoder::new(Vec::new(), 1)?;
    write!(frame, r#"{{"title":"Large","messages":["#)?;
    for edit in 0..EDITS {
        let (comma, text) = (if edit == 0 { "" } else { "," }, noise(edit as u64 % 20, FILE_BYTES));
        write!(
            frame,
            r#"{comma}{{"User":{{"id":"u{edit}","content":[{{"Text":"prompt {edit}"}}]}}}},{{"Agent":{{"content":[{{"ToolUse":{{"id":"c","name":"edit_file","raw_input":"","input":{{"path":"api/v.txt"}},"is_input_complete":true}}}}],"tool_results":{{"c":{{"tool_use_id":"c","tool_name":"edit_file","is_error":false,"content":[{{"Text":"Edited"}}],"output":{{"input_path":"api/v.txt","old_text":"{text}","new_text":"{text}.","diff":"@@ -1 +1 @@\n-a\n+b\n"}}}}}}}}}}"#
        )?;
    }
    write!(frame, r#"],"model":{{"provider":"p","model":"m"}},"version":"0.3.0"}}"#)?;
    zed_store::save_packed(&store("giant")?, "giant", &frame.finish()?)
}

fn make_many() -> Result<()> {
    let db = store("many")?;
    db.execute_batch("BEGIN")?;
    for id in 0..THREADS {
        let text = noise(id as u64, THREAD_BYTES);
        let document = format!(
            r#"{{"title":"Large","messages":[{{"User":{{"id":"u","content":[{{"Text":"{text}"}}]}}}}],"version":"0.3.0"}}"#
        );
        zed_store::save_packed(&db, &format!("t{id:04}"), &zstd::encode_all(document.as_bytes(), 1)?)?;
    }
    db.execute_batch("COMMIT")?;
    Ok(())
}

/// A number that Linux tells about this process.
fn told(file: &str, name: &str) -> Result<u64> {
    let text = fs::read_to_string(format!("/proc/self/{file}"))?;
    let line = text.lines().find_map(|line| line.strip_prefix(name)).ok_or("not told")?;
    Ok(line.split_whitespace().next().ok_or("nothing told")?.parse()?)
}

/// Asks, and prints the answer's first row, the growth of the peak in kB and the bytes read.
fn child(sql: &str) -> Result<()> {
    let db = Connection::open_in_memory()?;
    agent_history::register(&db)?;
    let (memory, read) = (told("status", "VmHWM:")?, told("io", "rchar:")?);
    let answer = ask(&db, sql);
    assert_eq!(answer.error, None, "{sql}");
    let cells = answer.rows.iter().flatten().map(Cell::to_string).collect::<Vec<_>>().join(" ");
    let (grown, read) = (told("status", "VmHWM:")?.saturating_sub(memory), told("io", "rchar:")? - read);
    println!("told {cells};{grown};{read};");
    Ok(())
}

/// The answer, the growth of the peak in bytes, the bytes read.
fn asked(root: &str, sql: &str) -> Result<(String, u64, u64)> {
    let sql = sql.replace("$D", &folder(root).display().to_string());
    let said = this_test(ASK, &sql)?;
    let line = said.split_once("told ").ok_or_else(|| said.clone())?.1;
    match line.split(';').collect::<Vec<_>>().as_slice() {
        [answer, grown, read, ..] => Ok(((*answer).to_owned(), grown.parse::<u64>()? << 10, read.parse()?)),
        _ => Err(said.into()),
    }
}

/// Runs this test in another process.
fn this_test(name: &str, value: &str) -> Result<String> {
    let output = Command::new(std::env::current_exe()?).arg("--nocapture").env(name, value).output()?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() { Ok(said) } else { Err(said.into()) }
}

#[test]
fn large_threads_and_many() -> Result<()> {
    if let Ok(sql) = std::env::var(ASK) {
        return child(&sql);
    }
    match std::env::var(MAKE).as_deref() {
        Ok("giant") => return make_giant(),
        Ok("many") => return make_many(),
        _ => {}
    }
    for name in ["giant", "many"] {
        this_test(MAKE, name)?;
    }
    memory_stays_small()?;
    what_is_not_asked_for_is_not_read()
}

/// One thread of 200 MB; a thousand threads, with other threads that inflate ahead.
fn memory_stays_small() -> Result<()> {
    let texts = EDITS * FILE_BYTES;
    for (root, sql, want, most) in [
        (
            "giant",
            "SELECT count(*), count(text), count(model) FROM zed_messages('$D')",
            "3750 3750 3750".to_owned(),
            16,
        ),
        (
            "giant",
            "SELECT count(*), sum(length(old_text)), sum(length(new_text)) FROM zed_edits('$D')",
            format!("{EDITS} {texts} {}", texts + EDITS),
            16,
        ),
        (
            "many",
            "SELECT count(*), sum(length(text)) FROM zed_messages('$D')",
            format!("1000 {}", 1000 * THREAD_BYTES),
            64,
        ),
    ] {
        let (answer, grown, _) = asked(root, sql)?;
        assert_eq!(answer, want, "{sql}");
        assert!(grown < most << 20, "{sql}: {grown} bytes");
    }
    Ok(())
}

/// A table reads a document only where a column of it is asked for.
fn what_is_not_asked_for_is_not_read() -> Result<()> {
    let stored = fs::metadata(folder("many").join("threads.db"))?.len();
    assert!(stored > 60_000_000, "{stored}: the texts do not compress");
    for (sql, want) in [
        (
            "SELECT count(title), min(updated_at), sum(blob_bytes) > 60000000 FROM zed_threads('$D')",
            "1000 '2026-07-01T08:00:00.000Z' 1",
        ),
        ("SELECT title FROM zed_threads('$D') WHERE session_id = 't0500'", "'t0500'"),
        ("SELECT count(*) FROM agent_sessions('$D')", "1000"),
        ("SELECT status FROM agent_sources('$D') WHERE agent = 'zed'", "'ok'"),
        ("SELECT count(*) FROM zed_permissions('$D') WHERE kind IN ('setting', 'trust')", "0"),
        ("SELECT count(*) FROM zed_sidebar_threads('$D')", "0"),
        ("SELECT count(*) FROM zed_worktrees('$D')", "0"),
        ("SELECT count(*) FROM zed_terminals('$D')", "0"),
        ("SELECT length(text) FROM zed_messages('$D') WHERE session_id = 't0500'", "100000"),
        ("SELECT count(*) FROM zed_tool_calls('$D') WHERE session_id = 't0500'", "0"),
    ] {
        let (answer, _, read) = asked("many", sql)?;
        assert_eq!(answer, want, "{sql}");
        assert!(read < stored / 10, "{sql} read {read} of {stored} bytes");
    }
    Ok(())
}
