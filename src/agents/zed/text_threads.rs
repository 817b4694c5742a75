//! Old text threads: `conversations/<title> - <n>.zed.json`, one file each, of 2023 to 2026.
//!
//! A file holds one text and the places where its messages begin. The feature is gone from Zed; no code deleted the
//! files.

use crate::error::{Error, Result};
use crate::json::{Document, Kind, Value};
use crate::store::file;
use crate::store::find::Found;
use crate::table::Session;
use crate::time::Time;
use std::collections::HashMap;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// What `timestamp_utc` is: the file keeps Lamport clocks only.
pub const TIME_BASIS: &str = "file_mtime";

/// A text thread, read.
#[derive(Debug, Clone)]
pub struct TextThread {
    document: Document,
    text: String,
    /// The thread's own id; the file's name where it has none.
    pub id: Arc<str>,
    /// Bytes of the file.
    pub bytes: usize,
}

/// A message of a text thread.
#[derive(Debug, Clone)]
pub struct TextMessage<'d> {
    /// As stored.
    pub raw: Value<'d>,
    /// `user`, `assistant`, `system`.
    pub role: Option<Value<'d>>,
    /// Its id: a number, with the replica that made it where that is not the first.
    pub id: Option<String>,
    /// The error with which it ended.
    pub error: Option<Value<'d>>,
    /// The parts of its text.
    pub parts: Result<Vec<Part<'d>>>,
}

/// A part of a message's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part<'d> {
    /// The text.
    pub text: &'d str,
    /// Where the model thought aloud: the section that says so.
    pub thought: Option<usize>,
}

/// Reads the file. `None` where the scan asks for other ids.
pub fn read<K>(found: &Found<K>, keys: Option<&[String]>, session: &Session, most: u64) -> Result<Option<TextThread>> {
    if let Some(problem) = &found.problem {
        return Err(problem.clone());
    }
    let ids = session.slot::<Ids>();
    let time = file::modified(&found.path);
    let is_asked = |id: &str| keys.is_none_or(|keys| keys.iter().any(|key| key == id));
    if ids.get(&found.path, time).is_some_and(|id| !is_asked(&id)) {
        return Ok(None);
    }
    let name = found.path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let thread = TextThread::parse(file::read(&found.path, most)?, name.trim_end_matches(".zed.json"))?;
    ids.put(found.path.clone(), time, &thread.id);
    Ok(is_asked(&thread.id).then_some(thread))
}

/// The ids of files that were read: a join asks for one after the other.
#[derive(Default)]
struct Ids(Mutex<HashMap<PathBuf, Known>>);

/// The file's time when it was read, and its thread's id.
type Known = (Option<Time>, Arc<str>);

impl Ids {
    fn get(&self, path: &PathBuf, time: Option<Time>) -> Option<Arc<str>> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(path).filter(|(then, _)| *then == time).map(|(_, id)| Arc::clone(id))
    }

    fn put(&self, path: PathBuf, time: Option<Time>, id: &Arc<str>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(path, (time, Arc::clone(id)));
    }
}

impl TextThread {
    /// Reads a file's bytes.
    pub fn parse(bytes: Vec<u8>, name: &str) -> Result<Self> {
        let length = bytes.len();
        let document = Document::parse(bytes)?;
        let root = document.root();
        let text = match root.get("text") {
            Some(text) if text.kind() == Kind::String => text.as_str().unwrap_or_default().into_owned(),
            _ => return Err(Error::shape("expected an object with text, the file of a text thread")),
        };
        let id = root.get("id").and_then(|id| id.as_str()).map_or_else(|| Arc::from(name), Arc::from);
        Ok(Self { document, text, id, bytes: length })
    }

    /// A member of the file that is not null: `summary`, `version`, `model`.
    pub fn get(&self, name: &str) -> Option<Value<'_>> {
        self.document.root().get(name).filter(|value| !value.is_null())
    }

    /// The file's text.
    pub fn verbatim(&self) -> crate::text::Text {
        self.document.root().verbatim()
    }

    /// The messages in order. Each reaches to the beginning of the next, the line end between them left out.
    pub fn messages(&self) -> impl Iterator<Item = TextMessage<'_>> {
        let list = self.get("messages");
        let starts: Vec<Option<usize>> = list.iter().flat_map(|list| list.items()).map(start).collect();
        let thoughts = self.thoughts();
        let metadata = self.get("message_metadata");
        list.into_iter().flat_map(|list| list.items()).enumerate().map(move |(at, raw)| {
            let (from, next) = (starts.get(at).copied().flatten(), starts.get(at + 1).copied().flatten());
            let own = raw.get("metadata").or_else(|| metadata?.get(&raw.get("id")?.as_u64()?.to_string()));
            TextMessage {
                raw,
                role: own.and_then(|own| own.get("role")),
                id: raw.get("id").and_then(id),
                error: own.and_then(|own| own.get("status")?.get("Error")),
                parts: self.parts(from, next, &thoughts),
            }
        })
    }

    fn parts(&self, from: Option<usize>, next: Option<usize>, thoughts: &[(usize, Range<usize>)]) -> Result<Vec<Part<'_>>> {
        let whole = |range: Range<usize>| {
            let what = || Error::shape(format!("no text from byte {} to byte {}", range.start, range.end));
            self.text.get(range.clone()).ok_or_else(what)
        };
        let from = from.ok_or_else(|| Error::shape("a message without start"))?;
        let text = whole(from..next.unwrap_or(self.text.len()))?;
        let text = if next.is_some() { text.strip_suffix('\n').unwrap_or(text) } else { text };
        let end = from + text.len();
        let mut parts = Vec::new();
        let mut at = from;
        for (section, thought) in thoughts.iter().filter(|(_, thought)| from <= thought.start && thought.end <= end) {
            if at < thought.start {
                parts.push(Part { text: whole(at..thought.start)?, thought: None });
            }
            parts.push(Part { text: whole(thought.clone())?, thought: Some(*section) });
            at = thought.end;
        }
        if at < end || parts.is_empty() {
            parts.push(Part { text: whole(at..end)?, thought: None });
        }
        Ok(parts)
    }

    /// The sections in which the model thought aloud, in the order of the text, without overlaps.
    fn thoughts(&self) -> Vec<(usize, Range<usize>)> {
        let offset = |range: Value<'_>, name: &str| usize::try_from(range.get(name)?.as_u64()?).ok();
        let range = |section: Value<'_>| {
            let range = section.get("range")?;
            Some(offset(range, "start")?..offset(range, "end")?).filter(|range| range.start < range.end)
        };
        let sections = self.get("thought_process_output_sections");
        let sections = sections.iter().flat_map(|list| list.items()).enumerate();
        let mut ranges: Vec<_> = sections.filter_map(|(at, section)| Some((at, range(section)?))).collect();
        ranges.sort_by_key(|(_, range)| range.start);
        let mut end = 0;
        ranges.retain(|(_, range)| {
            let is_behind = end <= range.start;
            end = if is_behind { range.end } else { end };
            is_behind
        });
        ranges
    }
}

fn start(message: Value<'_>) -> Option<usize> {
    usize::try_from(message.get("start")?.as_u64()?).ok()
}

fn id(id: Value<'_>) -> Option<String> {
    if id.kind() == Kind::Number {
        return Some(id.raw().to_owned());
    }
    let value = id.get("value")?.raw();
    match id.get("replica_id").and_then(|replica| replica.as_u64()) {
        None | Some(0) => Some(value.to_owned()),
        Some(replica) => Some(format!("{value}@{replica}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `id role error: [parts]` of each message; thoughts in parentheses.
    fn told(text: &str) -> Vec<String> {
        let thread = TextThread::parse(text.as_bytes().to_vec(), "name").unwrap();
        let part = |part: Part<'_>| match part.thought {
            Some(section) => format!("({section}:{})", part.text),
            None => part.text.to_owned(),
        };
        let told = thread.messages().map(|message| {
            let role = message.role.and_then(|role| role.as_str()).unwrap_or_default();
            let error = message.error.map(|error| error.raw()).unwrap_or_default();
            let parts = message.parts.map(|parts| parts.into_iter().map(part).collect::<Vec<_>>().join("|"));
            format!("{} {role} {error}: {}", message.id.unwrap_or_default(), parts.unwrap_or_else(|e| e.to_string()))
        });
        told.collect()
    }

    /// Z40: offsets are bytes, and the line end between two messages belongs to neither text.
    #[test]
    fn messages_of_0_4_0() {
        let text = r#"{"id":"tt-4","zed":"context","version":"0.4.0","text":"héllo wörld\nanswer ✓\nand more","messages":[
            {"id":{"value":1,"replica_id":0},"start":0,"metadata":{"role":"user","status":"Done"}},
            {"id":{"value":2,"replica_id":3},"start":14,"metadata":{"role":"assistant","status":{"Error":"overloaded"}}},
            {"id":{"value":3,"replica_id":0},"start":25,"metadata":{"role":"user","status":"Done"}}],
            "thought_process_output_sections":[{"range":{"start":14,"end":20}}]}"#;
        assert_eq!(
            told(text),
            ["1 user : héllo wörld", "2@3 assistant \"overloaded\": (0:answer)| ✓", "3 user : and more"]
        );
    }

    #[test]
    fn older_messages_have_their_roles_beside_them() {
        let text = r#"{"version":"0.2.0","text":"hi\nhello\n","messages":[{"id":1,"start":0},{"id":2,"start":3}],
            "message_metadata":{"1":{"role":"user","status":"Done"},"2":{"role":"assistant","status":"Done"}}}"#;
        assert_eq!(told(text), ["1 user : hi", "2 assistant : hello\n"]);
    }

    #[test]
    fn a_start_that_is_none_costs_its_message() {
        let text = r#"{"text":"é!","messages":[{"id":1,"start":0},{"id":2,"start":1},{"id":3,"start":9},{"id":4}]}"#;
        assert_eq!(
            told(text),
            [
                "1  : shape: no text from byte 0 to byte 1",
                "2  : shape: no text from byte 1 to byte 9",
                "3  : shape: no text from byte 9 to byte 3",
                "4  : shape: a message without start",
            ]
        );
        assert_eq!(
            TextThread::parse(b"[]".to_vec(), "n").unwrap_err().to_string(),
            "shape: expected an object with text, the file of a text thread"
        );
    }
}
