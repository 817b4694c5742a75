//! A `state.vscdb` of 4 GB, nearly all of it free, with live frames in its log: one chat costs what that chat takes.
#![cfg(unix)]

mod support;

use rusqlite::Connection;
use rusqlite::config::DbConfig;
use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;
use support::Result;
use support::rows::{Cell, ask};

const PAGES: u32 = 1 << 20;
const PAGE_BYTES: u64 = 4096;
const CHATS: usize = 200;
/// A file that was attached to each chat.
const CONTEXT_BYTES: usize = 150_000;
/// What one statement may take above the host.
const MOST_MEMORY: u64 = 64 << 20;

/// Cody's value with all chats, the last of which says `answer`.
fn value(answer: &str) -> Result<String> {
    let content = "a line of some file\\n".repeat(CONTEXT_BYTES / 21);
    let mut value = String::from(r#"{"cody-local-chatHistory-v2":{"https://sourcegraph.com/-ana":{"chat":{"#);
    for chat in 0..CHATS {
        let comma = if chat == 0 { "" } else { "," };
        let answer = if chat + 1 == CHATS { answer } else { "an answer" };
        write!(
            value,
            r#"{comma}"chat {chat}":{{"id":"chat {chat}","chatTitle":"Chat {chat}","interactions":[{{"humanMessage":{{"text":"question {chat}","contextFiles":[{{"type":"file","uri":{{"path":"/home/ana/p/x.py","scheme":"file"}},"content":"{content}"}}]}},"assistantMessage":{{"text":"{answer}"}}}}]}}"#
        )?;
    }
    value.push_str("}}}}");
    Ok(value)
}

fn store(home: &Path) -> PathBuf {
    home.join(".config/Code/User/globalStorage/state.vscdb")
}

fn make(home: &Path) -> Result<()> {
    let _ = fs::remove_dir_all(home);
    let path = store(home);
    fs::create_dir_all(path.parent().ok_or("no folder")?)?;
    let db = Connection::open(&path)?;
    db.execute_batch(
        "PRAGMA journal_mode = wal; CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)",
    )?;
    let insert = "INSERT INTO ItemTable VALUES (?1, ?2)";
    db.execute(insert, ("sourcegraph.cody-ai", value("before")?))?;
    drop(db);
    // The file grows to 4 GB of nothing, and its header says so: pages that no b-tree names yet.
    let file = fs::File::options().write(true).open(&path)?;
    file.set_len(u64::from(PAGES) * PAGE_BYTES)?;
    file.write_all_at(&PAGES.to_be_bytes(), 28)?;
    drop(file);
    let db = Connection::open(&path)?;
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    db.execute_batch("PRAGMA wal_autocheckpoint = 0")?;
    db.execute(insert, ("another", "row"))?;
    db.execute(insert, ("sourcegraph.cody-ai", value("out of the log")?))?;
    Ok(())
}

/// The most memory that this process ever had, in bytes; `None` where the system does not tell.
fn peak() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? * 1024)
}

#[test]
fn one_chat_out_of_four_gigabytes() -> Result<()> {
    let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join("sparse");
    // Another process makes it: its memory must not count here.
    if std::env::var_os("SPARSE_MAKE").is_some() {
        return make(&home);
    }
    let made = Command::new(std::env::current_exe()?).env("SPARSE_MAKE", "1").output()?;
    if !made.status.success() {
        let why = String::from_utf8_lossy(&made.stderr).into_owned();
        assert!(why.contains("File too large") || why.contains("full"), "{why}");
        println!("NOT TESTED: the file system has no sparse files ({why})");
        return Ok(());
    }
    let metadata = fs::metadata(store(&home))?;
    assert_eq!(metadata.len(), u64::from(PAGES) * PAGE_BYTES);
    if metadata.blocks() * 512 > metadata.len() / 2 {
        println!("NOT TESTED: the file system has no sparse files");
        fs::remove_dir_all(home)?;
        return Ok(());
    }
    let db = Connection::open_in_memory()?;
    agent_history::register(&db)?;
    let before = peak();
    let start = Instant::now();
    let one = |sql: &str| {
        let answer = ask(&db, &sql.replace("$H", &format!("'{}'", home.display())));
        assert_eq!(answer.error, None, "{sql}");
        answer.rows
    };
    let text = |text: &str| Cell::Text(text.into());
    let last = CHATS - 1;
    let chat = format!("SELECT title, message_count, error FROM cody_chats($H) WHERE session_id = 'chat {last}'");
    assert_eq!(one(&chat), [[text(&format!("Chat {last}")), Cell::Integer(2), Cell::Null]]);
    let messages = format!("SELECT text FROM cody_messages($H) WHERE session_id = 'chat {last}'");
    assert_eq!(one(&messages), [[text(&format!("question {last}"))], [text("out of the log")]]);
    if let (Some(before), Some(after)) = (before, peak()) {
        let grown = after.saturating_sub(before);
        println!(
            "| one chat of 4 GB | {:>5.2} s | {:>5.1} MiB |",
            start.elapsed().as_secs_f64(),
            grown as f64 / 1048576.0
        );
        assert!(grown < MOST_MEMORY, "{grown} bytes");
    }
    let metadata = fs::metadata(store(&home))?;
    assert!(metadata.blocks() * 512 < 256 << 20, "and none of it was written");
    fs::remove_dir_all(home)?;
    Ok(())
}
