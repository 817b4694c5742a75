//! From a store that was found to the value that holds chats in it.

use super::origin::StoreFile;
use super::stores::StoreKind;
use super::transcript::event::Shape;
use super::value::Bytes;
use crate::error::Result;
use crate::json::Kind;
use crate::store::file;
use crate::store::sqlite::{self, Database, Options};
use crate::table::Session;
use crate::time::Time;
use std::sync::Arc;

/// The value of a store that holds chats.
pub struct Opened {
    /// Its bytes.
    pub bytes: Bytes,
    /// What it is on its top level.
    pub shape: Shape,
    /// The database whose row it is.
    pub database: Option<Database>,
    /// The state of the store, taken before the bytes.
    pub stamp: Stamp,
}

/// Two equal stamps of one file mean equal contents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stamp {
    /// A database's.
    Row(sqlite::Stamp),
    /// A file's length and time.
    File(u64, Option<Time>),
}

impl Opened {
    /// Are the bytes of the state that the stamp says? A store may move between the two.
    ///
    /// # Errors
    /// As reading.
    pub fn is_of_stamp(&mut self) -> Result<bool> {
        // Large values are opened at the first read.
        self.bytes.read(0..1)?;
        match (&mut self.database, &self.stamp) {
            (Some(database), Stamp::Row(stamp)) => Ok(database.stamp()? == *stamp),
            _ => Ok(true),
        }
    }
}

/// Opens a store that may hold chats; `None` where it holds none: no row of Cody's, an empty file, one that holds
/// `null` or (a bug of 2024) `undefined`, a JSON file that is no export.
///
/// # Errors
/// The store does not read.
pub fn open(store: &StoreFile, session: &Arc<Session>) -> Result<Option<Opened>> {
    if store.is_state() {
        return open_row(store, session);
    }
    let Some(bytes) = Bytes::file(&store.path, session)? else { return Ok(None) };
    let shape = match store.kind {
        StoreKind::Export => shape_of_export(&bytes),
        _ => (!is_nothing(&bytes)?).then_some(Shape::History),
    };
    let stamp = Stamp::File(bytes.len(), file::modified(&store.path));
    Ok(shape.map(|shape| Opened { bytes, shape, database: None, stamp }))
}

fn open_row(store: &StoreFile, session: &Arc<Session>) -> Result<Option<Opened>> {
    let asked = Arc::clone(session);
    let interrupt: sqlite::Interrupt = Arc::new(move || asked.is_interrupted());
    let mut database = Database::open_with(&store.path, Options { interrupt: Some(interrupt), ..Options::default() })?;
    let stamp = Stamp::Row(database.stamp()?);
    let Some(bytes) = Bytes::row(&mut database, session)? else { return Ok(None) };
    Ok(Some(Opened { bytes, shape: Shape::State, database: Some(database), stamp }))
}

/// What clients of August to October 2024 wrote for a value that is not there.
fn is_nothing(bytes: &Bytes) -> Result<bool> {
    let head = bytes.read(0..32)?;
    Ok(matches!(head.trim_ascii(), b"" | b"null" | b"undefined"))
}

/// Keys by which a chat is known, whatever era wrote it.
const OF_A_CHAT: [&str; 4] = ["interactions", "transcript", "firstHumanMessageText", "lastInteractionTimestamp"];

/// Members of a JSON object at which is looked.
const MOST_KEYS: usize = 32;

/// The shape of an export; `None` for any other JSON file, and for what is no JSON.
fn shape_of_export(bytes: &Bytes) -> Option<Shape> {
    let mut reader = bytes.reader(0..u64::MAX);
    match reader.kind().ok()? {
        Kind::Array => {
            reader.begin_array().ok()?;
            (reader.next_item().ok()? && reader.kind().ok()? == Kind::Object).then_some(())?;
            let keys = keys(bytes, reader.position())?;
            keys.iter().any(|(key, _)| OF_A_CHAT.contains(&&**key)).then_some(Shape::List)
        }
        Kind::Object => {
            let keys = keys(bytes, reader.position())?;
            let is_chats = |(key, kind): &(String, Kind)| key == "chat" && *kind == Kind::Object;
            if keys.iter().any(is_chats) {
                return Some(Shape::History);
            }
            let is_list = |(key, kind): &(String, Kind)| key == "interactions" && *kind == Kind::Array;
            if keys.iter().any(is_list) {
                return Some(Shape::Chat);
            }
            has_accounts(bytes).then_some(Shape::History)
        }
        _ => None,
    }
}

/// The first keys of the object at `start`, with the kinds of their values. A cut object gives those before the cut.
fn keys(bytes: &Bytes, start: u64) -> Option<Vec<(String, Kind)>> {
    let mut reader = bytes.reader(start..u64::MAX);
    reader.begin_object().ok()?;
    let mut keys = Vec::new();
    while let Ok(Some(key)) = reader.next_key() {
        let Ok(kind) = reader.kind() else { break };
        // Behind the list stands nothing that decides.
        let is_last = key == "interactions" || keys.len() >= MOST_KEYS;
        keys.push((key, kind));
        if is_last {
            break;
        }
    }
    Some(keys)
}

/// Is a member of the object an account: an object with chats?
fn has_accounts(bytes: &Bytes) -> bool {
    let mut reader = bytes.reader(0..u64::MAX);
    let Ok(()) = reader.begin_object() else { return false };
    for _ in 0..MOST_KEYS {
        let Ok(Some(_)) = reader.next_key() else { return false };
        if reader.kind() == Ok(Kind::Object) {
            let inner = keys(bytes, reader.position()).unwrap_or_default();
            if inner.iter().any(|(key, kind)| key == "chat" && *kind == Kind::Object) {
                return true;
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    /// K16 and the other shapes; files that are no exports.
    #[test]
    fn an_export_is_known_by_its_shape() {
        let session = Arc::default();
        for (json, want) in [
            (r#"[{"id":"a","lastInteractionTimestamp":"a","interactions":[]}]"#, Some(Shape::List)),
            (r#"[{"chatID":"a","transcript":{"id":"a","interactions":[]}}]"#, Some(Shape::List)),
            (r#"[{"id":"a","chatTitle":"t","firstHumanMessageText":"q"}]"#, Some(Shape::List)),
            (r#"[{"id":"a","interactions":[{"#, Some(Shape::List)),
            (r#"{"chat":{"a":{"id":"a","interactions":[]}}}"#, Some(Shape::History)),
            (r#"{"input":["q"],"chat":{}}"#, Some(Shape::History)),
            (r#"{"id":"a","interactions":[]}"#, Some(Shape::Chat)),
            (r#"{"https://sourcegraph.com/-ana":{"chat":{}}}"#, Some(Shape::History)),
            (r#"{"name":"x","dependencies":{"a":"1"},"chat":"no"}"#, None),
            (r#"[{"id":1}]"#, None),
            ("[]", None),
            ("[1]", None),
            ("{}", None),
            ("\"interactions\"", None),
            ("undefined", None),
            ("{\"chat", None),
        ] {
            assert_eq!(shape_of_export(&Bytes::memory(json.into(), &session)), want, "{json}");
        }
    }

    #[test]
    fn nothing_is_written_in_several_ways() {
        let session = Arc::default();
        for (text, want) in [("undefined", true), ("null\n", true), (" ", true), ("{}", false), ("[1]", false)] {
            assert_eq!(is_nothing(&Bytes::memory(text.into(), &session)), Ok(want), "{text}");
        }
    }
}
