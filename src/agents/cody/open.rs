//! From a store that was found to the value that holds chats in it.

use super::origin::StoreFile;
use super::stores::StoreKind;
use super::transcript::event::Shape;
use super::value::Bytes;
use crate::error::Result;
use crate::json::Kind;
use crate::store::file;
use crate::store::sqlite::{self, Database, pool};
use crate::table::{Session, Setting};
use crate::time::Time;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// The value of a store that holds chats.
pub struct Opened {
    /// Its bytes.
    pub bytes: Bytes,
    /// What it is on its top level.
    pub shape: Shape,
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
    pub fn is_of_stamp(&self, store: &StoreFile, session: &Arc<Session>) -> Result<bool> {
        let Stamp::Row(stamp) = &self.stamp else { return Ok(true) };
        // Large values are opened at the first read.
        self.bytes.read(0..1)?;
        Ok(pool::with(session, &store.path, Database::stamp)? == *stamp)
    }
}

/// Values of rows that were read whole, under their store's stamp: a join asks the same one again and again.
#[derive(Default)]
struct Wholes(Mutex<HashMap<PathBuf, Whole>>);

type Whole = (sqlite::Stamp, Arc<Vec<u8>>);

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
    Ok(shape.map(|shape| Opened { bytes, shape, stamp }))
}

fn open_row(store: &StoreFile, session: &Arc<Session>) -> Result<Option<Opened>> {
    let wholes = session.slot::<Wholes>();
    let lock = || wholes.0.lock().unwrap_or_else(PoisonError::into_inner);
    let most = usize::try_from(session.setting(Setting::CacheBytes)).unwrap_or(0);
    pool::with(session, &store.path, |database| {
        let stamp = database.stamp()?;
        let kept = lock().get(&store.path).filter(|(kept, _)| *kept == stamp).map(|(_, bytes)| Arc::clone(bytes));
        let bytes = match kept {
            Some(bytes) => Some(Bytes::whole(bytes, session)),
            None => Bytes::row(database, session)?,
        };
        if let Some(whole) = bytes.as_ref().and_then(Bytes::as_whole)
            && database.stamp()? == stamp
        {
            let mut wholes = lock();
            wholes.remove(&store.path);
            if wholes.values().map(|(_, bytes)| bytes.len()).sum::<usize>() + whole.len() > most {
                wholes.clear();
            }
            if whole.len() <= most {
                wholes.insert(store.path.clone(), (stamp.clone(), Arc::clone(whole)));
            }
        }
        Ok(bytes.map(|bytes| Opened { bytes, shape: Shape::State, stamp: Stamp::Row(stamp) }))
    })
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
            shape_of_accounts(bytes)
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

/// The shape of an object of which a member is an account, told by the first account that holds a chat: accounts hold
/// their chats under `chat`, or themselves.
fn shape_of_accounts(bytes: &Bytes) -> Option<Shape> {
    let mut reader = bytes.reader(0..u64::MAX);
    reader.begin_object().ok()?;
    for _ in 0..MOST_KEYS {
        reader.next_key().ok()??;
        if reader.kind() != Ok(Kind::Object) {
            continue;
        }
        let inner = keys(bytes, reader.position()).unwrap_or_default();
        if inner.iter().any(|(key, kind)| key == "chat" && *kind == Kind::Object) {
            return Some(Shape::History);
        }
        if holds_chats(bytes, reader.position()) {
            return Some(Shape::Import);
        }
    }
    None
}

/// Is the first member of the object at `start` a chat?
fn holds_chats(bytes: &Bytes, start: u64) -> bool {
    let mut reader = bytes.reader(start..u64::MAX);
    if reader.begin_object().is_err() || !matches!(reader.next_key(), Ok(Some(_))) || reader.kind() != Ok(Kind::Object) {
        return false;
    }
    let inner = keys(bytes, reader.position()).unwrap_or_default();
    inner.iter().any(|(key, kind)| key == "interactions" && *kind == Kind::Array)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// K16 and the other shapes, that of an import included; files that are no exports.
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
            (r#"{"someUser":{"a":{"id":"a","interactions":[]}}}"#, Some(Shape::Import)),
            (r#"{"someUser":{},"other":{"a":{"interactions":[]}}}"#, Some(Shape::Import)),
            (r#"{"someUser":{"a":{"interactions":{}}}}"#, None),
            (r#"{"name":"x","dependencies":{"a":"1"},"chat":"no"}"#, None),
            (r#"[{"id":1}]"#, None),
            ("[]", None),
            ("[1]", None),
            ("{}", None),
            ("\"interactions\"", None),
            ("undefined", None),
            ("{\"chat", None),
        ] {
            assert_eq!(shape_of_export(&Bytes::text(json.into(), &session)), want, "{json}");
        }
    }

    #[test]
    fn nothing_is_written_in_several_ways() {
        let session = Arc::default();
        for (text, want) in [("undefined", true), ("null\n", true), (" ", true), ("{}", false), ("[1]", false)] {
            assert_eq!(is_nothing(&Bytes::text(text.into(), &session)), Ok(want), "{text}");
        }
    }
}
