//! Blobs of neighbouring threads, read and proven at once.
//!
//! To prove a blob costs as much as to read a small one. So a scan reads those of the next threads with the one that it
//! is at: of none at first, since a LIMIT may want no more, then of twice as many each time.

use crate::agents::zed::history::Unit;
use crate::agents::zed::threads_db::{Stored, Thread, ThreadsDb};
use crate::error::Result;
use crate::store::sqlite::{Amount, Blob};
use crate::table::Rows;
use std::collections::VecDeque;
use std::sync::Arc;

/// So many threads are read at once at the most, and about so many stored bytes.
const MOST_THREADS: usize = 16;
const MOST_BYTES: u64 = 1 << 20;
/// Of a thread whose first messages alone are asked for: zstd inflates a block at once, and most first ones are shorter.
const BEGINNING_BYTES: u64 = 32 << 10;

/// The units of a scan, some of which were looked at before their turn.
pub struct Units {
    rows: Rows<Unit>,
    seen: VecDeque<Unit>,
}

impl Units {
    /// None was looked at yet.
    pub fn new(rows: Rows<Unit>) -> Self {
        Self { rows, seen: VecDeque::new() }
    }

    /// The rows of the next threads, as far as they stand in this store.
    fn next_of(&mut self, store: &Arc<ThreadsDb>, most: usize) -> Vec<i64> {
        let missing = most.saturating_sub(self.seen.len());
        self.seen.extend(self.rows.by_ref().take(missing));
        let rowid = |unit: &Unit| match unit {
            Unit::Thread(thread) if Arc::ptr_eq(&thread.store, store) => Some(thread.head.rowid),
            _ => None,
        };
        self.seen.iter().map_while(rowid).take(most).collect()
    }
}

impl Iterator for Units {
    type Item = Unit;

    fn next(&mut self) -> Option<Unit> {
        self.seen.pop_front().or_else(|| self.rows.next())
    }
}

/// Blobs that were read before their turn, in order.
#[derive(Default)]
pub struct Burst {
    store: Option<Arc<ThreadsDb>>,
    documents: VecDeque<(i64, Option<Stored>)>,
    /// How many the next burst reads beside the first.
    others: usize,
}

impl Burst {
    /// The document of a thread as stored, or its beginning, which may come with those of the units behind it; `None`
    /// when it was deleted meanwhile. The thread is complete afterwards.
    pub fn blob(&mut self, thread: &mut Thread, units: &mut Units, is_beginning: bool) -> Result<Option<Blob>> {
        let is_of_store = self.store.as_ref().is_some_and(|store| Arc::ptr_eq(store, &thread.store));
        let stored = match self.take(thread.head.rowid).filter(|_| is_of_store) {
            Some(stored) => stored,
            None => {
                self.read(thread, units, is_beginning);
                self.take(thread.head.rowid).flatten()
            }
        };
        let Some(Stored { blob, trailing }) = stored else {
            // By itself a thread is found even where its row was replaced. Where its document cannot be read, the row that
            // tells so still has what stands behind it.
            let blob = thread.blob();
            let completed = thread.complete();
            return blob.and_then(|blob| completed.map(|()| blob));
        };
        if let Some(trailing) = trailing {
            thread.head.trailing = trailing;
        }
        Ok(Some(blob))
    }

    /// What was read of a row before its turn. In front of it stand those that turned out not to be needed.
    fn take(&mut self, rowid: i64) -> Option<Option<Stored>> {
        std::iter::from_fn(|| self.documents.pop_front()).find(|(of, _)| *of == rowid).map(|(_, stored)| stored)
    }

    /// Reads the documents of this thread and of the next ones, if all goes well.
    fn read(&mut self, thread: &Thread, units: &mut Units, is_beginning: bool) {
        let others = units.next_of(&thread.store, self.others);
        self.store = Some(Arc::clone(&thread.store));
        let each = if is_beginning { BEGINNING_BYTES } else { u64::MAX };
        let documents = thread.documents(&others, Amount { each, all: MOST_BYTES });
        self.others = if documents.is_ok() { (self.others * 2 + 1).min(MOST_THREADS - 1) } else { 0 };
        self.documents = documents.unwrap_or_default().into();
    }
}
