//! Cody's lines of `agent_timeline`: a line for everything that its stores hold, in the words that analysts of agent
//! histories use.
//!
//! Chats of every store come first, then those of the old JetBrains plugin as far as nobody copied them, then model
//! preferences and standing settings.

mod chats;
mod legacy;
mod standing;

use crate::error::{Error, Kind, Result};
use crate::model::{TimelineEntry, TurnType};
use crate::store::paths;
use crate::table::{Rows, Scan, Source};

/// Every line.
///
/// # Errors
/// The root does not exist.
pub fn rows(scan: &Scan) -> Result<Rows<TimelineEntry>> {
    let chats = chats::lines(scan)?.chain(legacy::lines(scan)?);
    // Preferences and settings belong to no session.
    if scan.keys("session_id").is_some() {
        return Ok(Box::new(chats));
    }
    Ok(Box::new(chats.chain(standing::preferences(scan)?).chain(standing::settings(scan)?)))
}

/// A line that no message gives. Every store of Cody's is one value.
fn line(source: Source, text: String) -> TimelineEntry {
    TimelineEntry {
        agent: super::NAME,
        turn_type: Some(TurnType::System),
        text: Some(text.into()),
        source_line: Some(1),
        source,
        ..TimelineEntry::default()
    }
}

/// What does not read, in the words of analysts.
fn unreadable(error: &Error) -> String {
    match error.kind() {
        Kind::Sqlite if error.what().starts_with("not a database") => "parser: not a SQLite database".to_owned(),
        Kind::Sqlite | Kind::Busy => format!("parser: SQLite error: {}", error.what()),
        _ => format!("parser: {}", error.what()),
    }
}

/// The file's name, as the lines name it.
fn file_name(source: &Source) -> &str {
    paths::name(source.path()).unwrap_or(source.path())
}
