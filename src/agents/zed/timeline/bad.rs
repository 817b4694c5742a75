//! The lines of what did not decode.

use super::line;
use crate::model::TimelineEntry;
use crate::table::{Rows, Source};
use crate::text::Text;
use std::collections::VecDeque;
use std::iter::Peekable;
use std::sync::Arc;

/// A record that did not decode: a message by its position, from 1, or a whole document by its row.
pub fn unparseable(
    session_id: Option<Arc<str>>,
    project_path: Option<Arc<str>>,
    source: Source,
    raw: Option<Text>,
) -> TimelineEntry {
    let pointer = source.pointer.to_string();
    let position = pointer.strip_prefix("/messages/").and_then(|rest| rest.split('/').next()?.parse::<usize>().ok());
    let record = match position {
        Some(position) => (position + 1).to_string(),
        None => source.key().unwrap_or_default().to_owned(),
    };
    let reason = source.error.as_ref().map(|error| reason(&pointer, error.what())).unwrap_or_default();
    let stored = raw.map(|raw| raw.to_str().into_owned());
    let is_hex = |stored: &String| !stored.is_empty() && stored.bytes().all(|byte| byte.is_ascii_hexdigit());
    let note = if pointer.is_empty() && stored.as_ref().is_some_and(is_hex) { "; stored zstd blob as hex" } else { "" };
    let stored = stored.map(|stored| format!(": {stored}")).unwrap_or_default();
    let text = format!("parser: unparseable record {record} ({reason}{note}){stored}");
    TimelineEntry { session_id, project_path, ..line(source, text) }
}

/// The reason in the words that name the item, where the record is a part of a thread.
fn reason(pointer: &str, what: &str) -> String {
    let mut steps = pointer.rsplit('/');
    let item = steps.next().unwrap_or_default().replace("~1", "/").replace("~0", "~");
    let is_no_object = what.starts_with("expected an object");
    match steps.next() {
        Some("content") => what.replacen("unknown Agent content", "unknown Agent content variant", 1),
        Some("segments") => format!("segments[{item}]: {what}"),
        Some("tool_uses") if is_no_object => format!("tool_uses[{item}] is not an object"),
        Some("tool_results") if is_no_object && pointer.contains("/Agent/") => {
            format!("Agent tool_results entry {item} is not an object")
        }
        Some("tool_results") if is_no_object => format!("tool_results[{item}] is not an object"),
        _ => what.to_owned(),
    }
}

/// Puts the lines of what did not decode behind the others of their record.
pub struct BadLast {
    lines: Peekable<Rows<TimelineEntry>>,
    held: VecDeque<TimelineEntry>,
}

impl BadLast {
    /// Around lines that come record by record.
    pub fn new(lines: Rows<TimelineEntry>) -> Self {
        Self { lines: lines.peekable(), held: VecDeque::new() }
    }

    fn is_bad(entry: &TimelineEntry) -> bool {
        entry.source.error.is_some() && entry.text.as_ref().is_some_and(|text| text.to_str().starts_with("parser: "))
    }
}

impl Iterator for BadLast {
    type Item = TimelineEntry;

    fn next(&mut self) -> Option<TimelineEntry> {
        loop {
            let held = self.held.front().map(|held| &held.source);
            let is_same = |entry: &TimelineEntry| held.is_none_or(|held| held.record == entry.source.record);
            match self.lines.peek() {
                Some(entry) if is_same(entry) && Self::is_bad(entry) => self.held.extend(self.lines.next()),
                Some(entry) if is_same(entry) => return self.lines.next(),
                _ => return self.held.pop_front(),
            }
        }
    }
}
