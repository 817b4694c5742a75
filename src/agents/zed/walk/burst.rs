//! Blobs of neighbouring threads, read and proven at once.
//!
//! To prove a blob costs as much as to read a small one. So a scan reads those of the next threads with the one that it
//! is at: of none at first, since a LIMIT may want no more, then of twice as many each time.

use crate::agents::zed::history::Unit;
use crate::agents::zed::threads_db::{Thread, ThreadsDb};
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
    blobs: VecDeque<(i64, Blob)>,
    /// How many the next burst reads beside the first.
    others: usize,
}

impl Burst {
    /// The document of a thread as stored, or its beginning, which may come with those of the units behind it; `None`
    /// when it was deleted meanwhile.
    pub fn blob(&mut self, thread: &Thread, units: &mut Units, is_beginning: bool) -> Result<Option<Blob>> {
        if self.store.as_ref().is_some_and(|store| Arc::ptr_eq(store, &thread.store)) {
            // In front of it stand those that turned out not to be needed.
            while let Some((rowid, blob)) = self.blobs.pop_front() {
                if rowid == thread.head.rowid {
                    return Ok(Some(blob));
                }
            }
        }
        let others = units.next_of(&thread.store, self.others);
        self.others = (self.others * 2 + 1).min(MOST_THREADS - 1);
        self.store = Some(Arc::clone(&thread.store));
        self.blobs.clear();
        // By itself a thread is found even where its row was replaced.
        let each = if is_beginning { BEGINNING_BYTES } else { u64::MAX };
        let amount = Amount { each, all: MOST_BYTES };
        let Ok(blobs) = thread.blobs(&others, amount) else { return thread.blob() };
        let mut blobs = blobs.into_iter();
        let first = blobs.next();
        self.blobs.extend(others.into_iter().zip(blobs));
        Ok(first)
    }
}
