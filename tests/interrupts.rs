//! A statement ends soon after the host wants it to end, wherever it is: `sqlite3_interrupt` from another thread, and a
//! progress handler, inside one large document and between rows. `--nocapture` shows how soon.

mod support;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, ffi};
use std::ffi::{c_int, c_void};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};
use support::{Result, zed_store};

/// How soon it is on a quiet machine.
const SOON: Duration = Duration::from_millis(200);
/// How soon where the tests have no core of their own, and a build that is not optimised.
const AT_THE_LATEST: Duration = Duration::from_secs(1);
/// The statement is well under way.
const AFTER: Duration = Duration::from_millis(150);

/// Bytes of the one document, and of Cody's value.
const LARGE: usize = 200 << 20;

fn message(number: usize, filling: &str) -> String {
    format!(r#"{{"User":{{"id":"{number}","content":[{{"Text":"{filling}"}}]}}}}"#)
}

/// A home with one thread of 200 MB, and Cody's history in a value of 200 MB, made once.
fn home() -> Result<PathBuf> {
    let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join("interrupts");
    if home.join("made").exists() {
        return Ok(home);
    }
    let _ = fs::remove_dir_all(&home);
    let filling = "nothing to be found here ".repeat(4000);
    let db = zed_store::create(&home.join(".local/share/zed/threads"))?;
    let messages = LARGE / filling.len();
    let mut encoder = zstd::Encoder::new(Vec::new(), 1)?;
    let text = (0..messages).map(|number| message(number, &filling)).collect::<Vec<_>>().join(",");
    std::io::Write::write_all(&mut encoder, format!(r#"{{"version":"0.3.0","messages":[{text}]}}"#).as_bytes())?;
    zed_store::save_packed(&db, "large", &encoder.finish()?)?;
    let mut value = String::from(r#"{"cody-local-chatHistory-v2":{"https://sourcegraph.com/-ana":{"chat":{"#);
    for chat in 0..messages {
        let comma = if chat == 0 { "" } else { "," };
        write!(
            value,
            r#"{comma}"{chat}":{{"id":"{chat}","interactions":[{{"humanMessage":{{"text":"{filling}"}},"assistantMessage":{{"text":"a"}}}}]}}"#
        )?;
    }
    value.push_str("}}}}");
    let folder = home.join(".config/Code/User/globalStorage");
    fs::create_dir_all(&folder)?;
    let db = Connection::open(folder.join("state.vscdb"))?;
    db.execute_batch("CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)")?;
    db.execute("INSERT INTO ItemTable VALUES ('sourcegraph.cody-ai', ?1)", [value])?;
    fs::write(home.join("made"), "")?;
    Ok(home)
}

/// A home whose Zed has a log of 100 MB that nobody copied yet: the statement begins by finding its way in it.
fn home_with_a_log() -> Result<PathBuf> {
    let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join("interrupts-log");
    let _ = fs::remove_dir_all(&home);
    let folder = home.join(".local/share/zed/threads");
    let db = zed_store::create(&folder)?;
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    db.execute_batch(
        "PRAGMA journal_mode = wal; PRAGMA wal_autocheckpoint = 0;
         INSERT INTO threads VALUES ('large', '', '2026-03-01T09:00:00Z', 'zstd', zeroblob(100 << 20))",
    )?;
    drop(db);
    assert!(fs::metadata(folder.join("threads.db-wal"))?.len() > 100 << 20);
    Ok(home)
}

/// Statements that work long inside a callback, and give no row before that work is done.
const STATEMENTS: [(&str, &str); 6] = [
    ("Zed, in one document", "SELECT count(*) FROM zed_messages($H) WHERE text LIKE '%not there at all%'"),
    ("Zed, fields behind the messages", "SELECT count(model) FROM zed_threads($H)"),
    ("Cody, in one value", "SELECT count(*) FROM cody_messages($H) WHERE text LIKE '%not there at all%'"),
    ("Cody, chats", "SELECT count(title) FROM cody_chats($H)"),
    ("Zed, in a log of 100 MB", "SELECT count(*) FROM zed_threads($LOG)"),
    ("every table", "SELECT count(*) FROM agent_errors($H)"),
];

/// How long a statement goes on after `stop` set out to end it, and whether it ended by that.
fn time_to_end(db: &Connection, sql: &str, stop: impl FnOnce() -> Instant + Send) -> Result<(Duration, bool)> {
    std::thread::scope(|scope| {
        let stopping = scope.spawn(move || {
            std::thread::sleep(AFTER);
            stop()
        });
        let answer = db.query_row(sql, [], |row| row.get::<_, i64>(0));
        let ended = Instant::now();
        let stopped = stopping.join().map_err(|_| "the other thread failed")?;
        let is_by_that =
            answer.err().and_then(|error| error.sqlite_error_code()) == Some(ErrorCode::OperationInterrupted);
        Ok((ended.saturating_duration_since(stopped), is_by_that))
    })
}

fn connection() -> Result<Connection> {
    let db = Connection::open_in_memory()?;
    agent_history::register(&db)?;
    // Nothing is kept: each statement works.
    db.query_row("SELECT agent_history_config('cache_bytes', 0)", [], |_| Ok(()))?;
    Ok(db)
}

/// A progress handler as Datasette's: asked every 1,000 instructions.
#[allow(unsafe_code, reason = "rusqlite's own needs a feature that the library does without")]
fn stop_when(db: &Connection, is_enough: &Arc<AtomicBool>) {
    extern "C" fn is_set(flag: *mut c_void) -> c_int {
        // SAFETY: the flag outlives the connection's last statement.
        c_int::from(unsafe { &*flag.cast::<AtomicBool>() }.load(Relaxed))
    }
    // SAFETY: the handle is open.
    unsafe { ffi::sqlite3_progress_handler(db.handle(), 1000, Some(is_set), Arc::as_ptr(is_enough).cast_mut().cast()) };
}

fn show(how: &str, what: &str, taken: Duration) {
    let mark = if taken > SOON { "late" } else { "" };
    println!("| {how:<16} | {what:<31} | {:>6.1} ms | {mark}", taken.as_secs_f64() * 1e3);
}

#[test]
fn a_statement_ends_when_it_is_interrupted() -> Result<()> {
    let (home, log) = (home()?, home_with_a_log()?);
    for (what, sql) in STATEMENTS {
        let sql = sql.replace("$H", &format!("'{}'", home.display())).replace("$LOG", &format!("'{}'", log.display()));
        let db = connection()?;
        let handle = db.get_interrupt_handle();
        let (taken, is_by_that) = time_to_end(&db, &sql, move || {
            handle.interrupt();
            Instant::now()
        })?;
        show("interrupt", what, taken);
        assert!(is_by_that && taken < AT_THE_LATEST, "{what}: {taken:?}");

        let db = connection()?;
        let is_enough = Arc::new(AtomicBool::new(false));
        stop_when(&db, &is_enough);
        let (taken, is_by_that) = time_to_end(&db, &sql, || {
            is_enough.store(true, Relaxed);
            Instant::now()
        })?;
        show("progress handler", what, taken);
        assert!(is_by_that && taken < AT_THE_LATEST, "{what}: {taken:?}");
    }
    fs::remove_dir_all(log)?;
    Ok(())
}
