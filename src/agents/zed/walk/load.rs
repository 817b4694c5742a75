//! From the threads of a scan to their documents, some of them ahead of their turn.
//!
//! Blobs are read by the scan's own thread, from the store's one connection, several at once ([`Burst`]). Inflating a
//! document and taking it apart is a job that any thread can do. A scan that has read [`PAYS`] bytes reads on ahead and
//! lets other threads help; before that a thread would not be worth its start, and a LIMIT would be paid for what it
//! does not ask.

use super::burst::{Burst, Units};
use super::feed::Taken;
use super::kept::{Kept, Part, State};
use crate::agents::needles::Needles;
use crate::agents::shared::ahead::{Ahead, Job};
use crate::agents::zed::blob::{Bounds, Inflater, Opened};
use crate::agents::zed::context::ContextWanted;
use crate::agents::zed::history::Unit;
use crate::agents::zed::stores::StoreKind;
use crate::agents::zed::threads_db::Thread;
use crate::error::{Kind, Result};
use crate::store::find::Found;
use crate::store::sqlite::Blob;
use crate::table::{HeadColumns, Heads, Rows, Session, Source};
use crate::time::Time;
use std::collections::VecDeque;
use std::sync::Arc;

/// Stored bytes that a scan has read before it looks ahead.
const PAYS: u64 = 1 << 20;
/// Documents that are ahead of their turn, and their stored bytes. Inflated they usually take four times as much; each
/// is inflated to a bound, and what is larger is then read as a stream.
const MOST_AHEAD: usize = 12;
const MOST_BYTES: u64 = 2 << 20;

/// How documents are loaded.
#[derive(Clone)]
pub struct How {
    /// How much of a hostile one.
    pub bounds: Bounds,
    /// Are so few messages asked for that the beginning of a document is enough?
    pub is_beginning: bool,
    /// Is only the beginning of a value read? Of what is saved before more of it is read, the rest is gone. So only where
    /// nothing is asked for but the first message: until that is given, the document can begin again.
    pub reads_beginnings: bool,
    /// The shared columns that are asked for: what some need stands at the end of a document.
    pub wanted: ContextWanted,
    /// Are messages asked for at all?
    pub wants_messages: bool,
    /// Documents without them have no rows.
    pub needles: Arc<Needles>,
    /// The columns of heads that are asked for, and of those that are kept, where there are any.
    pub heads: Option<Arc<HeadColumns>>,
    pub packed: Option<Arc<HeadColumns>>,
    /// Memory for documents that are kept for the next scan.
    pub cache_bytes: usize,
    /// Are single threads asked for?
    pub is_keyed: bool,
}

impl How {
    /// Is the thread's document kept for the next scan?
    fn keeps(&self, thread: &Thread) -> bool {
        self.cache_bytes > 0 && (self.is_keyed || thread.store.stored_bytes < most_kept(self.cache_bytes))
    }

    /// What is kept of the thread depends on; `None` where nothing is.
    pub fn state(&self, thread: &Thread) -> Option<State> {
        let stamp = thread.store.stamp.clone().filter(|_| self.cache_bytes > 0)?;
        Some(State { stamp, bounds: self.bounds })
    }

    /// How much of a document of so many stored bytes is inflated at once.
    pub fn bounds_of(&self, blob: &Blob) -> Bounds {
        let bounds = self.bounds.of_stored(blob.len());
        if self.is_beginning { bounds.of_beginning() } else { bounds }
    }
}

/// The documents of a store with fewer stored bytes are kept: taken apart they take six times as much.
pub fn most_kept(cache_bytes: usize) -> usize {
    cache_bytes / 6
}

/// A document.
pub enum Loaded {
    /// Taken apart.
    Taken(Arc<Taken>),
    /// To be read as a stream: it is damaged, large, or only its beginning is asked for.
    Opened(Opened<Blob>),
    /// No row of it is asked for.
    Passed,
}

/// What comes next in a scan.
pub enum Next {
    /// A thread; `None` when it was deleted meanwhile.
    Thread(Box<Thread>, Result<Option<Loaded>>),
    /// A thread whose rows are kept.
    Heads(Box<Thread>, Arc<Heads>),
    /// A file of an old text thread, and when it was last changed.
    TextThread(Found<StoreKind>, Option<Time>),
    /// A store, or a part of one, that cannot be read.
    Failed(Source),
}

enum Coming {
    Next(Next),
    /// The next job's; so many bytes are stored.
    Queued(Thread, u64),
}

struct Inflate {
    blob: Blob,
    /// The thread of a blob of which only the beginning was read.
    thread: Option<Thread>,
    data_type: Option<Arc<str>>,
    how: How,
    keeps: bool,
}

impl Job for Inflate {
    type Memory = Inflater;
    type Done = Result<Loaded>;

    fn run(self, memory: &mut Inflater) -> Result<Loaded> {
        let Self { blob, thread, data_type, how, keeps } = self;
        // The next lookup may ask for more than this one.
        let bounds = if keeps { how.bounds.of_stored(blob.len()) } else { how.bounds_of(&blob) };
        let opened = match (memory.open(blob, data_type.as_deref(), bounds), thread) {
            // It was saved since its beginning was read. Nothing was given out yet: what it is now will do.
            (Err(error), Some(thread)) if error.kind() == Kind::Busy => match thread.blob()? {
                Some(blob) => memory.open(blob, data_type.as_deref(), bounds)?,
                None => return Ok(Loaded::Passed),
            },
            (opened, _) => opened?,
        };
        if !opened.is_whole() {
            return Ok(Loaded::Opened(opened));
        }
        // What is kept for the next scan may hold what that one asks for.
        if !keeps && !how.needles.may_be_in(&opened.text) {
            return Ok(Loaded::Passed);
        }
        let is_taken = keeps || (how.wants_messages && !how.is_beginning);
        let taken = is_taken.then(|| Taken::sound(&opened.text, bounds.value_bytes)).flatten();
        Ok(taken.map_or(Loaded::Opened(opened), |taken| Loaded::Taken(Arc::new(taken))))
    }
}

/// The documents of a scan, in order.
pub struct Loader {
    units: Units,
    burst: Burst,
    kept: Arc<Kept>,
    how: How,
    threads: usize,
    ahead: Ahead<Inflate>,
    coming: VecDeque<Coming>,
    /// Stored bytes that were read so far, and those of the jobs that are ahead.
    read: u64,
    waiting: u64,
}

impl Loader {
    /// Nothing is read yet.
    pub fn new(units: Rows<Unit>, session: &Session, how: How) -> Self {
        let threads = session.threads();
        let (units, burst) = (Units::new(units), Burst::default());
        let (ahead, coming) = (Ahead::default(), VecDeque::new());
        Self { units, burst, kept: session.slot(), how, threads, ahead, coming, read: 0, waiting: 0 }
    }

    /// The next thread with its document.
    pub fn next(&mut self) -> Option<Next> {
        if self.threads > 0 && self.read > PAYS {
            self.ahead.start(self.threads);
        }
        while self.ahead.threads() > 0 && self.coming.len() < MOST_AHEAD && self.waiting < MOST_BYTES {
            let Some(unit) = self.units.next() else { break };
            let coming = self.begin(unit, true);
            self.coming.push_back(coming);
        }
        let coming = match self.coming.pop_front() {
            Some(coming) => coming,
            None => {
                let unit = self.units.next()?;
                self.begin(unit, false)
            }
        };
        Some(match coming {
            Coming::Next(next) => next,
            Coming::Queued(thread, bytes) => {
                self.waiting -= bytes;
                let loaded = self.ahead.next()?;
                self.loaded(thread, loaded)
            }
        })
    }

    /// Reads a unit's blob. What is not in memory afterwards, or comes alone, is done at once.
    fn begin(&mut self, unit: Unit, is_ahead: bool) -> Coming {
        let mut thread = match unit {
            Unit::Failed(source) => return Coming::Next(Next::Failed(source)),
            Unit::TextThread(found, time) => return Coming::Next(Next::TextThread(found, time)),
            Unit::Thread(thread) => thread,
        };
        let keeps = self.how.keeps(&thread);
        match self.known(&thread, keeps) {
            Some(Part::Heads(heads)) => return Coming::Next(Next::Heads(Box::new(thread), heads)),
            Some(Part::Document(taken)) => {
                let loaded = thread.complete().map(|()| Some(Loaded::Taken(taken)));
                return Coming::Next(Next::Thread(Box::new(thread), loaded));
            }
            None => {}
        }
        let blob = match self.burst.blob(&mut thread, &mut self.units, self.how.reads_beginnings && !keeps) {
            Ok(Some(blob)) => blob,
            Ok(None) => return Coming::Next(Next::Thread(Box::new(thread), Ok(None))),
            Err(error) => return Coming::Next(Next::Thread(Box::new(thread), Err(error))),
        };
        let (bytes, is_in_memory) = (blob.len(), blob.is_in_memory());
        self.read += bytes;
        let beginning = blob.is_beginning().then(|| thread.clone());
        let mut how = self.how.clone();
        how.is_beginning &= !how.wanted.needs_fields(&thread);
        let job = Inflate { blob, thread: beginning, data_type: thread.head.data_type.clone(), how, keeps };
        if is_ahead && is_in_memory {
            self.waiting += bytes;
            self.ahead.push(job);
            return Coming::Queued(thread, bytes);
        }
        let loaded = self.ahead.run(job);
        Coming::Next(self.loaded(thread, loaded))
    }

    /// What is kept of a thread.
    fn known(&self, thread: &Thread, with_document: bool) -> Option<Part> {
        if self.how.heads.is_none() && !with_document {
            return None;
        }
        let (key, state) = (thread.key(), self.how.state(thread)?);
        let heads = self.how.heads.as_ref().and_then(|columns| self.kept.find(&key, &state, |part| part.heads(columns)));
        let document = || with_document.then(|| self.kept.find(&key, &state, Part::document)).flatten();
        heads.map(Part::Heads).or_else(|| document().map(Part::Document))
    }

    fn loaded(&self, thread: Thread, loaded: Result<Loaded>) -> Next {
        let state = self.how.state(&thread).filter(|_| self.how.keeps(&thread));
        if let (Ok(Loaded::Taken(taken)), Some(state)) = (&loaded, state) {
            self.kept.put(thread.key(), state, Part::Document(Arc::clone(taken)), self.how.cache_bytes);
        }
        Next::Thread(Box::new(thread), loaded.map(Some))
    }
}
