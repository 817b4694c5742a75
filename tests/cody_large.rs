//! A state row as large as Cody lets it grow: what is asked for comes soon, and memory does not grow with the value.

mod support;

use rusqlite::Connection;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, SystemTime};
use support::Result;
use support::rows::{Cell, ask};

const CHATS: usize = 275;
/// As a file that was attached to every chat.
const CONTEXT_BYTES: usize = 200_000;

/// A home with the `state.vscdb` of an editor, 55 MB.
fn home() -> Result<PathBuf> {
    let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cody-large");
    let folder = home.join(".config/Code/User/globalStorage");
    fs::create_dir_all(&folder)?;
    let path = folder.join("state.vscdb");
    fs::remove_file(&path).ok();
    let db = Connection::open(&path)?;
    db.execute_batch(
        "PRAGMA synchronous = OFF; CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)",
    )?;
    db.execute("INSERT INTO ItemTable VALUES ('sourcegraph.cody-ai', ?1)", [value()?])?;
    Ok(home)
}

fn value() -> Result<String> {
    let content = "def f(x):\\n    return \\\"x\\\"\\n".repeat(CONTEXT_BYTES / 30);
    let mut value = String::from(
        r#"{"cody-config":{"auth":{}},"cody-local-chatHistory-v2":{"https://sourcegraph.com/-ana":{"chat":{"#,
    );
    for chat in 0..CHATS {
        let comma = if chat == 0 { "" } else { "," };
        write!(
            value,
            r#"{comma}"chat {chat}":{{"id":"chat {chat}","chatTitle":"Chat number {chat}","interactions":[{{"humanMessage":{{"text":"question {chat}","contextFiles":[{{"type":"file","uri":{{"path":"/home/ana/p/x.py","scheme":"file"}},"content":"{content}"}}]}},"assistantMessage":{{"text":"answer {chat}"}}}}]}}"#
        )?;
    }
    value.push_str(r#"}}},"model":"anthropic/claude-2.0"}"#);
    Ok(value)
}

/// The most memory that this process ever had, in bytes; `None` where the system does not tell.
fn peak() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? * 1024)
}

/// What one test takes, memory that is measured or time, is not to count in the other.
static ALONE: Mutex<()> = Mutex::new(());

#[test]
fn a_large_value_is_read_in_a_small_window() -> Result<()> {
    // Another process makes the value: its memory must not count here.
    if std::env::var_os("CODY_LARGE_MAKE").is_some() {
        home()?;
        return Ok(());
    }
    let _alone = ALONE.lock();
    let made = std::process::Command::new(std::env::current_exe()?)
        .args(["--exact", "a_large_value_is_read_in_a_small_window"])
        .env("CODY_LARGE_MAKE", "1")
        .output()?;
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cody-large");
    let before = peak();
    // By this thread alone, and by one that reads ahead.
    for threads in [0, 1] {
        let db = Connection::open_in_memory()?;
        agent_history::register(&db)?;
        db.query_row("SELECT agent_history_config('threads', ?1)", [threads], |_| Ok(()))?;
        questions(&db, &home);
    }
    if let (Some(before), Some(after)) = (before, peak()) {
        let grown = after.saturating_sub(before);
        assert!(grown < 16 << 20, "{grown} bytes for a value of {} bytes", CHATS * CONTEXT_BYTES);
    }
    Ok(())
}

fn questions(db: &Connection, home: &Path) {
    let one = |sql: &str| {
        let answer = ask(db, &sql.replace("$H", &format!("'{}'", home.display())));
        assert_eq!(answer.error, None, "{sql}");
        answer.rows
    };
    let chats = CHATS as i64;
    let titles = "SELECT count(*), count(title), min(bytes) > 180000 FROM cody_chats($H)";
    assert_eq!(one(titles), [[Cell::Integer(chats), Cell::Integer(chats), Cell::Integer(1)]]);
    let messages = "SELECT count(*), count(project_path), count(text) FROM cody_messages($H)";
    assert_eq!(one(messages), [[Cell::Integer(2 * chats), Cell::Integer(2 * chats), Cell::Integer(2 * chats)]]);
    let by_turn = "SELECT turn_type, count(*) FROM cody_messages($H) GROUP BY turn_type";
    let turns = |name: &str| [Cell::Text(name.into()), Cell::Integer(chats)];
    assert_eq!(one(by_turn), [turns("assistant"), turns("user")]);
    let by_key = "SELECT text FROM cody_messages($H) WHERE session_id = 'chat 274'";
    let text = |text: &str| [Cell::Text(text.into())];
    assert_eq!(one(by_key), [text("question 274"), text("answer 274")]);
    assert_eq!(one("SELECT model FROM cody_model_prefs($H)"), [text("anthropic/claude-2.0")]);
}

/// How many bytes this thread has read up to now; `None` where the system does not tell.
fn bytes_read() -> Option<u64> {
    let counts = fs::read_to_string("/proc/thread-self/io").ok()?;
    counts.lines().find_map(|line| line.strip_prefix("rchar: "))?.parse().ok()
}

/// Where each chat stands is known after the first question; then one by its id costs its own bytes.
#[test]
fn one_chat_by_its_id_reads_that_chat() -> Result<()> {
    let _alone = ALONE.lock();
    let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cody-large-file");
    let folder = home.join(".local/share/Cody-nodejs/JetBrains-globalState");
    fs::create_dir_all(&folder)?;
    let content = "x".repeat(50_000);
    let chat = |number: i32| {
        format!(
            r#""chat {number}":{{"interactions":[{{"humanMessage":{{"text":"{number}","contextFiles":[{{"content":"{content}"}}]}}}}]}}"#
        )
    };
    let chats = (0..20).map(chat).collect::<Vec<_>>().join(",");
    let history = format!(r#"{{"https://sourcegraph.com/-ana":{{"chat":{{{chats}}}}}}}"#);
    let path = folder.join("cody-local-chatHistory-v2");
    fs::write(&path, history)?;
    // Of a file that was written just now nobody knows whether it is written again in the same tick.
    fs::File::options().append(true).open(&path)?.set_modified(SystemTime::now() - Duration::from_secs(60))?;
    let db = Connection::open_in_memory()?;
    agent_history::register(&db)?;
    let ask_for = |number: i32| {
        let sql = format!("SELECT text FROM cody_messages('{}') WHERE session_id = 'chat {number}'", home.display());
        let before = bytes_read();
        let answer = ask(&db, &sql);
        assert_eq!((answer.error, answer.rows), (None, vec![vec![Cell::Text(number.to_string().into())]]));
        bytes_read().zip(before).map(|(after, before)| after - before)
    };
    let first = ask_for(3);
    let Some(first) = first else { return Ok(()) };
    assert!(first >= 20 * 50_000, "{first} bytes: the counter counts");
    for number in [14, 3, 19] {
        let read = ask_for(number);
        assert!(read.is_some_and(|read| read < 2 * 50_000), "{read:?} bytes for a chat of 50 kB");
    }
    Ok(())
}
