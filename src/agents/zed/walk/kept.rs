//! Threads that a connection keeps taken apart: a join asks for the same one again and again.
//!
//! A thread is kept under the state that its store had *before* it was read. When the store has moved on, the thread is
//! read again; nothing stale is ever given.

use super::feed::Taken;
use crate::store::sqlite::Stamp;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// The row of a store.
pub type Key = (PathBuf, i64);

/// What is kept, within a budget of bytes; what was not used for longest goes first.
#[derive(Default)]
pub struct Kept(Mutex<Inner>);

#[derive(Default)]
struct Inner {
    threads: HashMap<Key, Entry>,
    bytes: usize,
    clock: u64,
}

struct Entry {
    stamp: Stamp,
    taken: Arc<Taken>,
    bytes: usize,
    used: u64,
}

impl Kept {
    /// The thread, if it is kept and its store is still in the state `stamp`.
    pub fn get(&self, key: &Key, stamp: &Stamp) -> Option<Arc<Taken>> {
        let mut inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        inner.clock += 1;
        let clock = inner.clock;
        let entry = inner.threads.get_mut(key).filter(|entry| entry.stamp == *stamp)?;
        entry.used = clock;
        Some(Arc::clone(&entry.taken))
    }

    /// Keeps a thread that was read after its store was seen in the state `stamp`.
    pub fn put(&self, key: Key, stamp: Stamp, taken: &Arc<Taken>, budget: usize) {
        let bytes = taken.bytes;
        // One thread must not push out all others.
        if bytes > budget / 2 {
            return;
        }
        let mut inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        inner.clock += 1;
        let entry = Entry { stamp, taken: Arc::clone(taken), bytes, used: inner.clock };
        inner.bytes += bytes;
        let before = inner.threads.insert(key, entry);
        inner.bytes -= before.map_or(0, |entry| entry.bytes);
        while inner.bytes > budget {
            let oldest = inner.threads.iter().min_by_key(|(_, entry)| entry.used).map(|(key, _)| key.clone());
            let Some(entry) = oldest.and_then(|key| inner.threads.remove(&key)) else { break };
            inner.bytes -= entry.bytes;
        }
    }
}
