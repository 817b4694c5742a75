//! Small values of the global state, each under its key: members of the state row, or files of their own.

use super::origin::StoreFile;
use super::stores::{StoreKind, stores};
use super::transcript::event::{Event, Shape, Want};
use super::transcript::walk::Walk;
use super::value::Bytes;
use crate::error::Result;
use crate::json::{Document, Kind};
use crate::store::find::Found;
use crate::store::{file, uri};
use crate::table::{Pointer, Scan, Session, Source};
use std::sync::Arc;

/// No value that is read whole is larger.
const MOST_BYTES: u64 = 16 << 20;

/// A value under its key.
pub struct Member {
    /// The store.
    pub store: Arc<StoreFile>,
    /// The key.
    pub key: String,
    /// The value. Where it was JSON in a string, what the string says.
    pub document: Document,
    /// Where it stands in the file or row.
    pub pointer: Pointer,
}

impl Member {
    /// Something in the value.
    pub fn source(&self, pointer: Pointer) -> Source {
        self.store.source(pointer)
    }
}

/// What came in a value's place.
pub struct Unread {
    /// The store.
    pub store: Arc<StoreFile>,
    /// Where, and what is wrong.
    pub source: Source,
    /// Is it the value that does not read? Otherwise the store, or something else in it.
    pub is_value: bool,
}

/// A value, or what came in its place.
pub type Read = std::result::Result<Member, Unread>;

/// The values under keys that `is_wanted` says, of every store; and what does not read.
pub fn members(scan: &Scan, is_wanted: fn(&str) -> bool) -> Result<impl Iterator<Item = Read> + use<>> {
    const KINDS: &[StoreKind] = &[StoreKind::Vscdb, StoreKind::VscdbBackup, StoreKind::Member];
    let session = Arc::clone(&scan.session);
    Ok(stores(scan, KINDS)?.flat_map(move |found| of_store(&found, &session, is_wanted)))
}

fn of_store(found: &Found<StoreKind>, session: &Arc<Session>, is_wanted: fn(&str) -> bool) -> Vec<Read> {
    let store = StoreFile::new(found);
    let is_value = found.kind == StoreKind::Member;
    let read = match &found.problem {
        Some(problem) => Err(problem.clone()),
        None if is_value => of_file(&store, is_wanted),
        None => of_row(&store, session, is_wanted),
    };
    read.unwrap_or_else(|error| vec![Err(Unread { source: store.failed(error), store, is_value })])
}

fn of_file(store: &Arc<StoreFile>, is_wanted: fn(&str) -> bool) -> Result<Vec<Read>> {
    let name = store.path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let key = uri::percent_decode(&name);
    if !is_wanted(&key) {
        return Ok(Vec::new());
    }
    let bytes = file::read(&store.path, MOST_BYTES)?;
    if matches!(bytes.trim_ascii(), b"" | b"null" | b"undefined") {
        return Ok(Vec::new());
    }
    let document = decoded(Document::parse(bytes)?)?;
    Ok(vec![Ok(Member { store: Arc::clone(store), key, document, pointer: Pointer::record() })])
}

fn of_row(store: &Arc<StoreFile>, session: &Arc<Session>, is_wanted: fn(&str) -> bool) -> Result<Vec<Read>> {
    let Some(opened) = super::open::open(store, session)? else { return Ok(Vec::new()) };
    let mut out = Vec::new();
    for event in Walk::new(&opened.bytes, Shape::State, Want { members: true, ..Want::default() })? {
        let store = Arc::clone(store);
        match event {
            Event::Member(key, document) if is_wanted(&key) && !document.root().is_null() => {
                let pointer = Pointer::record().join(Arc::<str>::from(&*key));
                out.push(match decoded(document) {
                    Ok(document) => Ok(Member { store, key, document, pointer }),
                    Err(error) => Err(Unread { source: store.source(pointer).failed(error), store, is_value: true }),
                });
            }
            Event::Damage(damage) => {
                let source = store.source(damage.pointer).failed(damage.error);
                out.push(Err(Unread { source, store, is_value: false }));
            }
            _ => {}
        }
    }
    Ok(out)
}

/// JSON that stands as a text in JSON, which some keys are, once more.
fn decoded(document: Document) -> Result<Document> {
    let root = document.root();
    match root.as_str() {
        Some(text) if text.trim_start().starts_with(['{', '[']) => Document::parse(text.into_owned().into_bytes()),
        _ => Ok(document),
    }
}

/// The endpoints that the store of these chats names outside of its account keys.
pub fn endpoints(store: &StoreFile, bytes: &Bytes) -> Vec<String> {
    const KEYS: [&str; 3] =
        ["SOURCEGRAPH_CODY_ENDPOINT", "SOURCEGRAPH_CODY_ENDPOINT_HISTORY", "cody-model-preferences"];
    let documents: Vec<Document> = match store.kind {
        StoreKind::History => {
            let beside = |key: &&str| file::read(&store.path.with_file_name(key), MOST_BYTES).ok();
            KEYS.iter().filter_map(beside).filter_map(|bytes| Document::parse(bytes).ok()).collect()
        }
        StoreKind::Vscdb | StoreKind::VscdbBackup => {
            let walk = Walk::new(bytes, Shape::State, Want { members: true, ..Want::default() });
            let named = |event| match event {
                Event::Member(key, document) if KEYS.contains(&&*key) => Some(document),
                _ => None,
            };
            walk.into_iter().flatten().filter_map(named).collect()
        }
        _ => Vec::new(),
    };
    documents.iter().flat_map(named).collect()
}

/// The texts of a value: itself, its items, its keys.
fn named(document: &Document) -> Vec<String> {
    let root = document.root();
    match root.kind() {
        Kind::String => root.as_str().into_iter().map(Into::into).collect(),
        Kind::Array => root.items().filter_map(|item| Some(item.as_str()?.into_owned())).collect(),
        Kind::Object => root.entries().map(|(key, _)| key.as_str().into_owned()).collect(),
        _ => Vec::new(),
    }
}
