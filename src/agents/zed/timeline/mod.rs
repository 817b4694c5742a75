//! Zed's lines of `agent_timeline`: a line for everything that its stores hold, in the words that analysts of agent
//! histories use.
//!
//! Stores come in their usual order, and within `threads.db` thread by thread: what belongs to the thread's start, its
//! messages, what was left unsent, what did not decode.

mod bad;
mod panel;
mod settings;
mod threads;

use super::panel::panels;
use super::stores::{StoreKind, stores};
use crate::error::{Error, Kind, Result};
use crate::model::{TimelineEntry, TurnType};
use crate::store::paths;
use crate::table::{Rows, Scan, Source};

/// Every line.
pub fn rows(scan: &Scan) -> Result<Rows<TimelineEntry>> {
    let keys = scan.keys("session_id");
    // Rules belong to no session.
    let with_rules = keys.is_none();
    let panels = panels(scan)?.flat_map(|panel| panel::lines(&panel));
    let files = stores(scan, &[StoreKind::Settings, StoreKind::GlobalSettings])?.filter(move |_| with_rules);
    Ok(Box::new(threads::lines(scan)?.chain(panels).chain(files.flat_map(|found| settings::lines(&found)))))
}

/// A line that no message gives.
fn line(source: Source, text: String) -> TimelineEntry {
    let source_line = source.key().and_then(|rowid| rowid.parse().ok());
    TimelineEntry {
        agent: super::NAME,
        turn_type: Some(TurnType::System),
        text: Some(text.into()),
        source_line,
        source,
        ..TimelineEntry::default()
    }
}

/// A store, or a table of it, that could not be read.
fn unreadable_store(source: Source, error: Error) -> TimelineEntry {
    let text = match error.kind() {
        Kind::Sqlite if error.what().starts_with("not a database") => "parser: not a SQLite database".to_owned(),
        Kind::Sqlite | Kind::Busy => format!("parser: SQLite error: {}", error.what()),
        _ => format!("parser: {}", error.what()),
    };
    line(source.failed(error), text)
}

/// The file's name, as the lines name it.
fn file_name(source: &Source) -> &str {
    paths::name(source.path()).unwrap_or(source.path())
}

fn or_dash(text: Option<&str>) -> &str {
    text.unwrap_or("-")
}
