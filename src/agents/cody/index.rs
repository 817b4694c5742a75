//! Where each chat of a value stands, so that a query by session reads no other.
//!
//! One pass that keeps nothing finds them all; it is made when the first query by key comes, and kept for the
//! connection under the store's stamp. A query without a key needs none, and its first row does not wait for one.

use super::chat::Head;
use super::open::{Opened, Stamp};
use super::origin::StoreFile;
use super::transcript::event::{ChatStart, Damage, Event, Shape, Want};
use super::transcript::walk::Walk;
use super::value::Bytes;
use crate::error::Result;
use crate::table::{Pointer, Session};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// What stands in a value, in its order.
pub struct Index(Vec<Entry>);

/// A chat, or damage outside of chats.
pub enum Entry {
    /// A chat.
    Chat(Indexed),
    /// What every query tells that is not by session.
    Damage(Damage),
}

/// A chat's place.
pub struct Indexed {
    /// The chat's id, as its rows have it.
    pub id: Option<Arc<str>>,
    /// The rows' record.
    pub record: Option<Arc<str>>,
    /// Which one it is of the chats in this place.
    nth: u32,
    account: Option<Arc<str>>,
    key: Option<Arc<str>>,
    pointer: Pointer,
    is_torn: bool,
    start: u64,
    /// Where it ends; `None` where it is damaged, and its end has to be found again.
    end: Option<u64>,
}

impl Indexed {
    /// The chat's start in these bytes, and where to stop reading.
    pub fn start(&self, bytes: &Bytes) -> (ChatStart, u64) {
        let start = ChatStart {
            account: self.account.clone(),
            key: self.key.clone(),
            pointer: self.pointer.clone(),
            bytes: bytes.clone(),
            start: self.start,
            is_torn: self.is_torn,
            nth: self.nth,
        };
        (start, self.end.unwrap_or(u64::MAX))
    }
}

impl Index {
    /// The entry at a position.
    pub fn get(&self, position: usize) -> Option<&Entry> {
        self.0.get(position)
    }

    /// One pass over the value; `None` where chats do not stand in its bytes as stored (a history in a string).
    fn build(bytes: &Bytes, shape: Shape) -> Result<Option<Self>> {
        let fields = matches!(shape, Shape::List | Shape::Chat);
        let mut entries = Vec::new();
        let mut open: Option<(ChatStart, Head)> = None;
        for event in Walk::new(bytes, shape, Want { chats: true, fields, ..Want::default() })? {
            match event {
                Event::Chat(start) if !start.bytes.is_stored() => return Ok(None),
                Event::Chat(start) => open = Some((start, Head::default())),
                Event::Field(field, document) => open.iter_mut().for_each(|(_, head)| head.set(field, &document)),
                Event::End(end) => entries.extend(open.take().map(|(start, head)| {
                    let id = head.id(&start);
                    let record = start.record(id.clone());
                    let ChatStart { account, key, pointer, is_torn, nth, .. } = start;
                    let (first, last) = (end.range.start, end.error.is_none().then_some(end.range.end));
                    Entry::Chat(Indexed { id, record, nth, account, key, pointer, is_torn, start: first, end: last })
                })),
                Event::Damage(damage) if open.is_none() => entries.push(Entry::Damage(damage)),
                _ => {}
            }
        }
        Ok(Some(Self(entries)))
    }
}

/// A store's index, as of a stamp; `None` where it has none.
type Kept = (Stamp, Option<Arc<Index>>);

/// The indexes that a connection keeps.
#[derive(Default)]
struct Indexes(Mutex<HashMap<PathBuf, Kept>>);

/// Stores whose index is kept. There are seldom more than a handful.
const MOST: usize = 64;

/// The index of an opened store, kept or made.
///
/// # Errors
/// The value is of another shape, or does not read.
pub fn of(opened: &Opened, store: &StoreFile, session: &Arc<Session>) -> Result<Option<Arc<Index>>> {
    if !opened.bytes.is_stored() {
        return Ok(None);
    }
    let indexes = session.slot::<Indexes>();
    let is_of_stamp = opened.is_of_stamp(store, session)?;
    let kept = {
        let kept = indexes.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.get(&store.path).filter(|(stamp, _)| is_of_stamp && *stamp == opened.stamp).map(|(_, index)| index.clone())
    };
    if let Some(index) = kept {
        return Ok(index);
    }
    let index = Index::build(&opened.bytes, opened.shape)?.map(Arc::new);
    if is_of_stamp && !session.is_interrupted() {
        let mut kept = indexes.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= MOST {
            kept.clear();
        }
        kept.insert(store.path.clone(), (opened.stamp.clone(), index.clone()));
    }
    Ok(index)
}
