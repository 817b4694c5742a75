//! Small files that grow large when they are read: each costs a row that says which limit it reached, and no more
//! memory than a few times that limit.
//!
//! `BOMBS_LIMIT_MIB=64 cargo test … --test bombs -- --nocapture` takes the default limit; it prints times and peaks.

mod support;

use agent_history::table::Setting;
use rusqlite::Connection;
use std::fs;
use std::io::{self, BufWriter, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;
use support::{Result, zed_store};

/// `max_value_bytes` of this run. An eighth of the default: builds for tests are slow.
fn limit() -> usize {
    let mib = std::env::var("BOMBS_LIMIT_MIB").ok().and_then(|value| value.parse().ok());
    mib.unwrap_or(8usize) << 20
}

/// What one statement may take: the value as its text grows in the window, what a frame asks for that wants a window
/// of twice the limit, the value's index or its decoded text with SQLite's copy of that; and what any scan takes.
const fn most_memory(limit: usize) -> usize {
    limit * 7 / 2 + (48 << 20)
}

/// What stands in a message's text, or in its place.
struct Bomb {
    id: &'static str,
    head: &'static str,
    filling: &'static str,
    /// Of the filling, in eighths of the limit.
    eighths: usize,
    tail: &'static str,
    is_wide: bool,
}

/// A message whose text is, or holds, the filling.
const TEXT: (&str, &str) = (r#"{"User":{"id":"u","content":[{"Text":""#, r#""}]}}"#);
const LIST: (&str, &str) = (r#"{"User":{"id":"u","content":["#, r#"1]}}"#);

const fn bomb(id: &'static str, message: (&'static str, &'static str), filling: &'static str, eighths: usize) -> Bomb {
    Bomb { id, head: message.0, filling, eighths, tail: message.1, is_wide: false }
}

const BOMBS: [Bomb; 6] = [
    bomb("one text", TEXT, "AAAAAAAAAAAAAAAA", 12),
    Bomb { is_wide: true, ..bomb("a wide window", TEXT, "AAAAAAAAAAAAAAAA", 12) },
    bomb("escapes", TEXT, r"\u0041\u0041\n\n", 12),
    bomb("many values", LIST, "1,2,3,4,5,6,7,8,", 12),
    Bomb { is_wide: true, ..bomb("many values, a wide window", LIST, "[],[],[],[],", 12) },
    bomb("deep", ("", ""), "[[[[[[[[[[[[[[[[", 1),
];

fn frame(bomb: &Bomb) -> Result<Vec<u8>> {
    let mut encoder = zstd::Encoder::new(Vec::new(), 1)?;
    // Zed's own frames have 2 MiB.
    let window = if bomb.is_wide { 2 * limit() } else { 2 << 20 };
    encoder.window_log(window.ilog2())?;
    write!(
        encoder,
        r#"{{"version":"0.3.0","title":"t","messages":[{{"User":{{"id":"0","content":[{{"Text":"sound"}}]}}}},"#
    )?;
    encoder.write_all(bomb.head.as_bytes())?;
    let piece = bomb.filling.repeat((64 << 10) / bomb.filling.len());
    for _ in 0..bomb.eighths * limit() / 8 / piece.len() {
        encoder.write_all(piece.as_bytes())?;
    }
    write!(encoder, r#"{}]}}"#, bomb.tail)?;
    Ok(encoder.finish()?)
}

/// A home with a Zed store that holds every bomb, and a text that is as large as may be; and Cody's history with one.
fn make(home: &Path) -> Result<()> {
    let _ = fs::remove_dir_all(home);
    let db = zed_store::create(&home.join(".local/share/zed/threads"))?;
    let allowed = bomb("allowed", TEXT, "AAAAAAAAAAAAAAAA", 7);
    for bomb in BOMBS.iter().chain([&allowed]) {
        zed_store::save_packed(&db, bomb.id, &frame(bomb)?)?;
    }
    let folder = home.join(".local/share/Cody-nodejs/test-globalState");
    fs::create_dir_all(&folder)?;
    let mut file = BufWriter::new(fs::File::create(folder.join("cody-local-chatHistory-v2"))?);
    write!(file, r#"{{"https://sourcegraph.com/-ana":{{"chat":{{"bomb":{{"id":"bomb","interactions":["#)?;
    for (count, comma) in [(2 * limit(), ","), (2, "")] {
        write!(file, r#"{{"humanMessage":{{"text":""#)?;
        io::copy(&mut io::repeat(b'A').take(count as u64), &mut file)?;
        write!(file, r#""}},"assistantMessage":{{"text":"sound"}}}}{comma}"#)?;
    }
    write!(file, "]}}}}}}}}")?;
    file.flush()?;
    Ok(())
}

/// The most memory that this process ever had, in KiB; `None` where the system does not tell.
fn peak() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// The session and the error of every row, sorted; each cell was read.
fn read(db: &Connection, table: &str, home: &Path) -> Result<Vec<(String, Option<String>)>> {
    let start = Instant::now();
    let mut statement = db.prepare(&format!("SELECT session_id, error, * FROM {table}(?1)"))?;
    let rows = statement.query_map([home.to_string_lossy()], |row| {
        let error: Option<String> = row.get(1)?;
        Ok((row.get(0)?, error.map(|error| error.split([';', '(']).next().unwrap_or_default().trim().to_owned())))
    })?;
    let rows = rows.collect::<rusqlite::Result<_>>()?;
    println!("| {table:<13} | {:>6.2} s | {:>4} MiB |", start.elapsed().as_secs_f64(), peak().unwrap_or(0) >> 10);
    Ok(sorted(rows))
}

fn sorted<T: Ord>(mut rows: Vec<T>) -> Vec<T> {
    rows.sort();
    rows
}

#[test]
fn a_bomb_is_one_row_and_its_memory_is_bounded() -> Result<()> {
    let home = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("bombs");
    // Another process makes them: its memory must not count here.
    if std::env::var_os("BOMBS_MAKE").is_some() {
        return make(&home);
    }
    let made = Command::new(std::env::current_exe()?).env("BOMBS_MAKE", "1").output()?;
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stdout));
    let db = Connection::open_in_memory()?;
    agent_history::register(&db)?;
    db.query_row("SELECT agent_history_config('max_value_bytes', ?1)", [limit() as i64], |_| Ok(()))?;
    let before = peak();
    let nested = Some("limit: nesting is deeper than 512 at byte 602".to_owned());
    let large = Some(format!("limit: a JSON value is larger than {} bytes", limit()));
    let mut want: Vec<(String, Option<String>)> = vec![("allowed".into(), None); 2];
    for bomb in &BOMBS {
        let error = if bomb.id == "deep" { &nested } else { &large };
        want.extend([(bomb.id.to_owned(), None), (bomb.id.to_owned(), error.clone())]);
    }
    assert_eq!(read(&db, "zed_messages", &home)?, sorted(want));
    let want = vec![("bomb".to_owned(), None), ("bomb".to_owned(), None), ("bomb".to_owned(), large)];
    assert_eq!(read(&db, "cody_messages", &home)?, sorted(want));
    if let (Some(before), Some(after)) = (before, peak()) {
        let grown = (after.saturating_sub(before) << 10) as usize;
        assert!(grown < most_memory(limit()), "{} MiB above {} MiB", grown >> 20, before >> 10);
    }
    fs::remove_dir_all(home)?;
    Ok(())
}

#[test]
fn the_default_limit_costs_less_than_300_mb() {
    let default = Setting::ALL.iter().find(|(setting, ..)| *setting == Setting::MaxValueBytes).map(|it| it.2 as usize);
    assert!(default.is_some_and(|default| most_memory(default) < 300_000_000), "{default:?}");
}
