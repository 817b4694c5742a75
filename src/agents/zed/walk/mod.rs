//! Scans over the messages of threads: one walk for every table whose rows come from them.
//!
//! A table implements [`MessageRows`]; [`rows`] finds the threads, inflates them, walks their messages and tells what
//! is damaged. Rows come message by message. `model`, `git_branch` and, without folders in the row, `project_path`
//! stand behind the messages in the document: where a statement asks for them, a document of usual size is taken apart
//! before its first row, and a larger one is inflated twice.
//!
//! A LIKE on the text passes over documents and messages that cannot match. Threads that are asked for by key, and
//! those of small stores, are kept taken apart for the next scan of the connection. Of a scan that asks for short
//! columns alone the rows are kept: the next one asks no document.
//!
//! What is kept is given only while the store is in the state in which a scan finds it. A scan lists a store's threads
//! as of one state, and reads each document in the state of that moment, which may be newer. So each run of a scan, the
//! next row of a join's other side or the next statement of a transaction, sees what was saved before it began.

mod burst;
mod feed;
mod kept;
mod load;
mod maker;
mod opening;
mod pack;
mod raw;

use self::feed::Feed;
use self::kept::Kept;
use self::load::{How, Loader, Next};
pub use self::maker::MessageRows;
pub use self::pack::Packing;
use self::pack::packed;
use self::raw::raw;
use super::blob::{Bounds, Inflater, type_error};
use super::context::{Context, ContextWanted};
use super::history::units;
use super::stores::StoreKind;
use super::thread::document::Damage;
use super::threads_db::{Asked, Thread, Wanted};
use crate::agents::needles::Needles;
use crate::error::{Kind, Result};
use crate::json::Document;
use crate::table::{Heads, Packer, Pointer, Rows, Scan, Session, Setting, Source, Step};
use std::collections::VecDeque;
use std::sync::Arc;

/// Where fewer messages are asked for, a document is not inflated whole before the first row.
const FEW_MESSAGES: usize = 16;

/// The rows of every thread that the scan asks for.
pub fn rows<M: MessageRows>(scan: &Scan, time: &'static str, kinds: &'static [StoreKind], maker: M) -> Result<Rows<M::Row>> {
    let wanted = ContextWanted::of(scan);
    let cache_bytes = usize::try_from(scan.session.setting(Setting::CacheBytes)).unwrap_or(0);
    let is_keyed = scan.constraints.iter().any(|constraint| matches!(&*constraint.column, "session_id" | "rowid"));
    let late_from = (!is_keyed).then(|| load::most_kept(cache_bytes) as u64);
    let asked = Asked { wanted: Wanted { bytes: cache_bytes > 0, ..wanted.head() }, time, late_from };
    let bounds = scan.integer_range("message_index");
    let clamp = |bound: i64| usize::try_from(bound.max(0)).unwrap_or(usize::MAX);
    let messages = (clamp(bounds.0), clamp(bounds.1));
    let how = How {
        bounds: self::bounds(&scan.session),
        is_beginning: messages.1 < FEW_MESSAGES,
        reads_beginnings: messages.1 == 0 && M::AHEAD == 0 && !wanted.may_need_fields(),
        wanted,
        wants_messages: maker.wants_messages(),
        needles: Arc::new(Needles::of(scan, M::SEARCHED)),
        heads: scan.heads.clone().filter(|heads| M::HAS_HEADS && heads.are_of::<M::Row>()),
        packed: packed(scan).filter(|heads| M::HAS_HEADS && heads.are_of::<M::Row>()),
        cache_bytes,
        is_keyed,
    };
    Ok(Box::new(Walk {
        loader: Loader::new(units(scan, asked, kinds)?, &scan.session, how.clone()),
        how,
        session: Arc::clone(&scan.session),
        with_raw: scan.wants("raw"),
        messages,
        inflater: Inflater::default(),
        kept: scan.session.slot(),
        packing: None,
        packer: None,
        current: None,
        out: VecDeque::new(),
        maker,
    }))
}

struct Walk<M: MessageRows> {
    loader: Loader,
    how: How,
    session: Arc<Session>,
    with_raw: bool,
    /// The first and the last message that are asked for.
    messages: (usize, usize),
    inflater: Inflater,
    kept: Arc<Kept>,
    /// The rows of the thread that is being read, where they are kept.
    packing: Option<Packing>,
    packer: Option<Packer>,
    current: Option<Open>,
    out: VecDeque<M::Row>,
    maker: M,
}

/// A thread that is being read.
struct Open {
    thread: Thread,
    context: Context,
    /// The inflated text, where it is whole: damaged parts are shown as they stand there.
    text: Option<Arc<Vec<u8>>>,
    feed: Feed,
    before: Option<Document>,
    /// Was nothing given of a document of which only the beginning may have been read?
    is_unread: bool,
}

impl Open {
    /// What is odd about the document as a whole, though it reads.
    fn oddities(&self) -> impl Iterator<Item = Source> {
        let version = self.feed.fields().version_error().map(|error| (error, Pointer::from([Step::Name("version")])));
        let kind = type_error(self.thread.head.data_type.as_deref()).map(|error| (error, Pointer::record()));
        version.into_iter().chain(kind).map(|(error, pointer)| self.context.source.at(pointer).failed(error))
    }
}

impl<M: MessageRows> Iterator for Walk<M> {
    type Item = M::Row;

    fn next(&mut self) -> Option<M::Row> {
        loop {
            if let Some(row) = self.out.pop_front() {
                if self.packing.as_mut().is_some_and(|packing| !packing.add(&row)) {
                    self.packing = None;
                }
                return Some(row);
            }
            if self.session.is_interrupted() {
                return None;
            }
            match &self.current {
                Some(_) => self.advance(),
                None => {
                    if let Some(packing) = self.packing.take() {
                        self.packer = Some(packing.keep(&self.kept).1);
                    }
                    let next = self.loader.next()?;
                    self.begin(next);
                }
            }
        }
    }
}

impl<M: MessageRows> Walk<M> {
    fn begin(&mut self, next: Next) {
        match next {
            Next::Failed(source) => {
                let row = self.maker.failed(&Context::default(), source, None);
                self.out.push_back(row);
            }
            Next::Heads(thread, heads) => {
                self.give(&thread, heads);
            }
            Next::TextThread(found, time) => self.maker.text_thread(&found, time, &mut self.out),
            Next::Thread(thread, loaded) => {
                let context = Context::of_head(&thread);
                self.packing = Packing::begin(&thread, &self.how, self.packer.take());
                match loaded.and_then(|loaded| self.open(&thread, context.clone(), loaded)) {
                    Ok(Some(open)) => match self.pack(&open) {
                        Some(heads) => self.give(&thread, heads),
                        None => self.current = Some(open),
                    },
                    // It has no rows that are asked for, or none any more: not what another scan would find.
                    Ok(None) => self.packing = None,
                    Err(error) => self.fail(&thread, &context, None, Damage::whole(error)),
                }
            }
        }
    }

    /// Gives one row that stands for all of the thread.
    fn give(&mut self, thread: &Thread, heads: Arc<Heads>) {
        if heads.rows() > 0 {
            let source = Source { heads: Some(heads), ..thread.source() };
            let row = self.maker.failed(&Context::default(), source, None);
            self.out.push_back(row);
        }
    }

    /// Reads on in the thread, up to its next rows.
    fn advance(&mut self) {
        let Some(open) = &mut self.current else { return };
        match open.feed.next() {
            Some(Ok((index, message))) => {
                open.is_unread = false;
                if M::AHEAD > 0 || self.how.needles.may_be_in(message.root().bytes()) {
                    self.maker.message(&open.context, index, &message, open.before.as_ref(), &mut self.out);
                }
                open.before = message.root().get("tool_uses").is_some().then_some(message);
            }
            Some(Err(damage)) => {
                let Some(open) = self.current.take() else { return };
                if open.is_unread && damage.error.kind() == Kind::Busy {
                    return self.begin_again(open);
                }
                self.fail(&open.thread, &open.context, open.text.as_deref(), damage);
                self.current = Some(open);
            }
            None => self.end(),
        }
    }

    /// Ends the thread.
    fn end(&mut self) {
        let Some(open) = self.current.take() else { return };
        self.maker.end(&open.context, open.feed.fields(), &mut self.out);
        for source in open.oddities() {
            self.out.push_back(self.maker.failed(&open.context, source, None));
        }
    }

    /// The row of a damaged part.
    fn fail(&mut self, thread: &Thread, context: &Context, text: Option<&Vec<u8>>, damage: Damage) {
        self.maker.interrupted(context, &mut self.out);
        let raw = self.with_raw.then(|| raw(thread, text, &damage)).flatten();
        let row = self.maker.failed(context, context.source.at(damage.pointer).failed(damage.error), raw);
        self.out.push_back(row);
    }
}

/// The limits that the connection sets.
pub fn bounds(session: &Session) -> Bounds {
    let setting = |setting| u64::try_from(session.setting(setting)).unwrap_or(0);
    Bounds {
        document_bytes: setting(Setting::MaxDocumentBytes),
        value_bytes: usize::try_from(setting(Setting::MaxValueBytes)).unwrap_or(usize::MAX),
        ..Bounds::default()
    }
}
