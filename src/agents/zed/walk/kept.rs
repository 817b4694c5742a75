//! What a connection keeps of threads: documents taken apart, since a join asks for the same one again and again, and
//! the heads of rows, since a question about them is asked again in other words.
//!
//! A part is kept under the state that its store had *before* it was read. When the store has moved on, the thread is
//! read again; nothing stale is ever given.

use super::feed::Taken;
use crate::agents::zed::blob::Bounds;
use crate::store::sqlite::Stamp;
use crate::table::{HeadColumns, Heads};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The row of a store.
pub type Key = (PathBuf, i64);

/// What a reading depends on: the state of the store, and how much of a hostile document is read.
#[derive(Debug, Clone, PartialEq)]
pub struct State {
    /// Of the store.
    pub stamp: Stamp,
    /// Of the connection's settings.
    pub bounds: Bounds,
}

/// What can be kept of a thread.
pub enum Part {
    /// Its document.
    Document(Arc<Taken>),
    /// The heads of its rows.
    Heads(Arc<Heads>),
}

/// What is kept, within a budget of bytes. Documents go first, then heads; of each, what was not used for longest.
#[derive(Default)]
pub struct Kept(Mutex<Inner>);

#[derive(Default)]
struct Inner {
    threads: HashMap<Key, Vec<Entry>>,
    bytes: usize,
    clock: u64,
}

struct Entry {
    state: State,
    part: Part,
    bytes: usize,
    used: u64,
}

impl Entry {
    /// Is this of no use beside the new part of the same thread?
    fn is_replaced_by(&self, state: &State, part: &Part) -> bool {
        self.state != *state
            || match (&self.part, part) {
                (Part::Document(_), Part::Document(_)) => true,
                (Part::Heads(old), Part::Heads(new)) => new.columns().hold(old.columns()),
                _ => false,
            }
    }
}

impl Kept {
    /// The thread's document, if it is kept and its store is still in this state.
    pub fn document(&self, key: &Key, state: &State) -> Option<Arc<Taken>> {
        self.lock().find(key, state, |part| match part {
            Part::Document(taken) => Some(Arc::clone(taken)),
            Part::Heads(_) => None,
        })
    }

    /// The heads of the thread's rows, if these columns are kept and its store is still in this state.
    pub fn heads(&self, key: &Key, state: &State, columns: &HeadColumns) -> Option<Arc<Heads>> {
        self.lock().find(key, state, |part| match part {
            Part::Heads(heads) if heads.columns().hold(columns) => Some(Arc::clone(heads)),
            _ => None,
        })
    }

    /// Keeps a part of a thread that was read after its store was seen in this state.
    pub fn put(&self, key: Key, state: State, part: Part, budget: usize) {
        let bytes = match &part {
            Part::Document(taken) => taken.bytes,
            Part::Heads(heads) => heads.bytes(),
        };
        // One thread must not push out all others.
        if bytes > budget / 2 {
            return;
        }
        let bytes = bytes + size_of::<(Key, Entry)>() + key.0.as_os_str().len();
        let mut inner = self.lock();
        inner.clock += 1;
        let used = inner.clock;
        let entries = inner.threads.entry(key).or_default();
        let (gone, mut stay): (Vec<_>, Vec<_>) =
            entries.drain(..).partition(|entry| entry.is_replaced_by(&state, &part));
        stay.push(Entry { state, part, bytes, used });
        *entries = stay;
        inner.bytes += bytes;
        inner.bytes -= gone.iter().map(|entry| entry.bytes).sum::<usize>();
        while inner.bytes > budget && inner.drop_one() {}
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn find<T>(&mut self, key: &Key, state: &State, pick: impl Fn(&Part) -> Option<T>) -> Option<T> {
        self.clock += 1;
        let mut current = self.threads.get_mut(key)?.iter_mut().filter(|entry| entry.state == *state);
        let (entry, found) = current.find_map(|entry| pick(&entry.part).map(|found| (entry, found)))?;
        entry.used = self.clock;
        Some(found)
    }

    /// Drops what is least worth keeping; false when nothing is kept.
    fn drop_one(&mut self) -> bool {
        let rank = |entry: &Entry| (matches!(entry.part, Part::Heads(_)), entry.used);
        let all = self.threads.iter().flat_map(|(key, entries)| entries.iter().map(move |entry| (rank(entry), key)));
        let Some(((_, used), key)) = all.min().map(|(rank, key)| (rank, key.clone())) else { return false };
        let Some(entries) = self.threads.get_mut(&key) else { return false };
        entries.retain(|entry| {
            let stays = entry.used != used;
            self.bytes -= if stays { 0 } else { entry.bytes };
            stays
        });
        if entries.is_empty() {
            self.threads.remove(&key);
        }
        true
    }
}
