//! The heads of a thread's rows, packed as the rows go out, or before: then no row goes out but one that stands for all.

use super::feed::Feed;
use super::kept::{Key, Kept, Part, State};
use super::load::How;
use super::{MessageRows, Open, Walk};
use crate::agents::zed::threads_db::Thread;
use crate::table::{HeadColumns, Heads, Packer, Row, Scan};
use std::sync::Arc;

/// Constraints that choose threads, and no rows in them.
const OF_THREADS: [&str; 4] = ["agent", "session_id", "timestamp_utc", "rowid"];

/// The columns that are kept of the rows of a scan; `None` where it does not give all rows of its threads.
pub fn packed(scan: &Scan) -> Option<Arc<HeadColumns>> {
    let gives_all = scan.constraints.iter().all(|one| OF_THREADS.contains(&&*one.column));
    scan.heads.clone().filter(|_| gives_all)
}

/// The rows of the thread that is being read.
pub struct Packing {
    key: Key,
    state: State,
    packer: Packer,
    budget: usize,
}

impl Packing {
    /// None of the thread's rows yet; `None` where they are not to be kept. `packer` is that of a thread before, which
    /// has the room that its rows took.
    pub fn begin(thread: &Thread, how: &How, packer: Option<Packer>) -> Option<Self> {
        let (columns, state) = (how.packed.as_ref()?, how.state(thread)?);
        let packer = packer.unwrap_or_else(|| Packer::new(columns));
        Some(Self { key: thread.key(), state, packer, budget: how.cache_bytes })
    }

    /// Adds the next row; false where the thread's rows cannot be kept.
    pub fn add(&mut self, row: &impl Row) -> bool {
        self.packer.add(row) && self.packer.bytes() <= self.budget / 2
    }

    /// All rows were added. The packer is for the next thread's.
    pub fn keep(mut self, kept: &Kept) -> (Arc<Heads>, Packer) {
        let heads = Arc::new(self.packer.finish());
        kept.put(self.key, self.state, Part::Heads(Arc::clone(&heads)), self.budget);
        (heads, self.packer)
    }
}

impl<M: MessageRows> Walk<M> {
    /// The heads of all rows of a thread that is sound and in memory; `None` where its rows must be made one by one.
    pub(super) fn pack(&mut self, open: &Open) -> Option<Arc<Heads>> {
        let Feed::Taken { taken, .. } = &open.feed else { return None };
        let messages = taken.sound_messages().filter(|_| M::PACKS)?;
        let mut packing = self.packing.take()?;
        let mut row = self.maker.failed(&open.context, open.context.source.clone(), None);
        let mut before = None;
        for (index, message) in messages {
            if self.session.is_interrupted() || !self.maker.pack(&mut row, index, message, before, &mut packing) {
                return None;
            }
            before = message.root().get("tool_uses").is_some().then_some(message);
        }
        for source in open.oddities() {
            if !packing.add(&self.maker.failed(&open.context, source, None)) {
                return None;
            }
        }
        let (heads, packer) = packing.keep(&self.kept);
        self.packer = Some(packer);
        Some(heads)
    }
}
