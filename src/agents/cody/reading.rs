//! From a scan to rows: every Cody table that is made of chats implements [`Reading`], and [`rows`] does the rest.
//!
//! ```text
//! stores -> open -> walk (or index -> walk of one chat) -> store_scan -> Reading -> rows
//! ```

use super::accounts::Account;
use super::chat::{Chat, Head};
use super::origin::StoreFile;
use super::events::Filter;
use super::kept::{self, Asked, Known, Packing, Replay};
use super::store_scan::{Met, StoreScan};
use super::stores::{StoreKind, stores};
use super::transcript::Turn;
use super::transcript::event::ChatEnd;
use crate::error::{Error, Result};
use crate::json::Document;
use crate::store::find::Found;
use crate::table::{Pointer, Rows, Scan, Source};
use crate::text::Text;
use std::collections::VecDeque;
use std::sync::Arc;

/// What a table must know of chats.
#[derive(Debug, Clone, Copy, Default)]
pub struct Needs {
    /// Turns with a message index in these bounds; `None` for none.
    pub turns: Option<(i64, i64)>,
    /// [`Chat::project_path`], which takes a look at the whole chat before its first turn is given.
    pub project: bool,
    /// [`Chat::created`] before the first turn.
    pub time: bool,
    /// Old prompt histories instead of chats.
    pub inputs: bool,
}

/// Something that does not read.
#[derive(Debug, Clone)]
pub struct Failure {
    /// The store.
    pub store: Arc<StoreFile>,
    /// The chat that it is in.
    pub chat: Option<Arc<Chat>>,
    /// The account; all unknown where it is.
    pub account: Arc<Account>,
    /// The first message index of the turn that does not read.
    pub index: Option<i64>,
    /// Where, and what is wrong.
    pub source: Source,
    /// The element as stored, where that is known.
    pub raw: Option<Text>,
}

impl Failure {
    /// Something that belongs to no chat.
    pub fn of_store(store: &Arc<StoreFile>, source: Source) -> Self {
        Self { store: Arc::clone(store), chat: None, account: Arc::default(), index: None, source, raw: None }
    }
}

/// What a table makes of chats. All of one chat comes between two calls of [`Reading::end`].
pub trait Reading: 'static {
    /// The table's rows.
    type Row: 'static;

    /// Which heads may be given and kept; none where somebody looks at the rows before the scan's reader. Of those that
    /// are given, [`failed`](Self::failed) makes one row for each record.
    fn asked(_filter: &Filter) -> Asked {
        Asked::default()
    }

    /// Adds a row to those that are kept; false where that cannot be.
    fn pack(_packing: &mut Packing, _row: &Self::Row) -> bool {
        false
    }

    /// A turn, in document order.
    fn turn(&mut self, _chat: &Arc<Chat>, _turn: &Turn, _rows: &mut VecDeque<Self::Row>) {}

    /// A chat's end, with all fields of its head.
    fn end(&mut self, _chat: &Arc<Chat>, _head: &Head, _end: &ChatEnd, _rows: &mut VecDeque<Self::Row>) {}

    /// A prompt of an old prompt history.
    fn input(&mut self, _of: &Prompt, _rows: &mut VecDeque<Self::Row>) {}

    /// Something does not read.
    fn failed(&mut self, failure: Failure, rows: &mut VecDeque<Self::Row>);
}

/// A prompt of an old prompt history.
#[derive(Debug, Clone)]
pub struct Prompt {
    /// The store.
    pub store: Arc<StoreFile>,
    /// The account.
    pub account: Arc<Account>,
    /// The entry: a string, or an object with `inputText`.
    pub document: Document,
    /// Where it stands in the file or row.
    pub pointer: Pointer,
}

/// The stores that hold chats as JSON.
const KINDS: &[StoreKind] = &[StoreKind::Vscdb, StoreKind::VscdbBackup, StoreKind::History, StoreKind::Export];

/// The rows that `reading` makes of every chat below the scan's root.
///
/// # Errors
/// The root does not exist.
pub fn rows<T: Reading>(scan: &Scan, needs: Needs, reading: T) -> Result<Rows<T::Row>> {
    rows_of(KINDS, scan, needs, reading)
}

/// The rows that `reading` makes of every chat in the stores of some kinds.
///
/// # Errors
/// The root does not exist.
pub fn rows_of<T: Reading>(
    kinds: &'static [StoreKind],
    scan: &Scan,
    needs: Needs,
    reading: T,
) -> Result<Rows<T::Row>> {
    let found = stores(scan, kinds)?;
    let filter = Arc::new(Filter::new(scan));
    if filter.admits_nothing() {
        return Ok(Box::new(std::iter::empty()));
    }
    let asked = T::asked(&filter);
    let (store, packing, replay, ready) = (None, None, None, VecDeque::new());
    Ok(Box::new(Reader { found, filter, needs, reading, asked, store, packing, replay, ready }))
}

struct Reader<F, T: Reading> {
    found: F,
    filter: Arc<Filter>,
    needs: Needs,
    reading: T,
    asked: Asked,
    store: Option<StoreScan>,
    /// The rows of the store, where they are to be kept, or were.
    packing: Option<Box<Packing>>,
    replay: Option<Replay>,
    ready: VecDeque<T::Row>,
}

impl<F: Iterator<Item = Found<StoreKind>>, T: Reading> Reader<F, T> {
    fn open(&mut self, found: &Found<StoreKind>) {
        let store = StoreFile::new(found);
        if found.problem.is_none() {
            match kept::known(&store, &self.filter.scan.session, &self.asked) {
                Known::Rows(replay) => return self.replay = Some(replay),
                Known::Nothing(packing) => self.packing = packing,
            }
        }
        let opened = found.problem.clone().map_or(Ok(()), Err);
        match opened.and_then(|()| StoreScan::open(&store, &self.filter, self.needs)) {
            Ok(scan) => self.store = scan,
            Err(error) => self.failed(&store, error),
        }
    }

    fn failed(&mut self, store: &Arc<StoreFile>, error: Error) {
        self.reading.failed(Failure::of_store(store, store.failed(error)), &mut self.ready);
    }

    /// Packs the rows that are ready, where they are to be kept: then none goes out but those that stand for some.
    fn pack(&mut self) {
        let Some(mut packing) = self.packing.take() else { return };
        let packed = self.ready.iter().take_while(|row| T::pack(&mut packing, row)).count();
        let others = self.ready.split_off(packed);
        self.ready.clear();
        if others.is_empty() {
            self.give(&mut packing);
            self.packing = Some(packing);
        } else {
            packing.close();
            self.give(&mut packing);
            self.ready.extend(others);
        }
    }

    fn give(&mut self, packing: &mut Packing) {
        let Some(store) = &self.store else { return };
        for source in packing.due() {
            self.reading.failed(Failure::of_store(store.file(), source), &mut self.ready);
        }
    }

    /// All of the store was read.
    fn end(&mut self) {
        if let Some(mut packing) = self.packing.take() {
            packing.close();
            self.give(&mut packing);
            packing.keep();
        }
        self.store = None;
    }

    fn take(&mut self, met: Met) {
        match met {
            Met::Turn(chat, turn) => self.reading.turn(&chat, &turn, &mut self.ready),
            Met::End(chat, head, end) => self.reading.end(&chat, &head, &end, &mut self.ready),
            Met::Input(prompt) => self.reading.input(&prompt, &mut self.ready),
            Met::Failure(failure) => self.reading.failed(failure, &mut self.ready),
        }
    }
}

impl<F: Iterator<Item = Found<StoreKind>>, T: Reading> Iterator for Reader<F, T> {
    type Item = T::Row;

    fn next(&mut self) -> Option<T::Row> {
        loop {
            if let Some(row) = self.ready.pop_front() {
                return Some(row);
            }
            if let Some(kept) = self.replay.as_mut().and_then(Iterator::next) {
                self.reading.failed(kept, &mut self.ready);
                continue;
            }
            match self.store.as_mut().map(Iterator::next) {
                Some(Some(met)) => {
                    self.take(met);
                    self.pack();
                }
                Some(None) => self.end(),
                None => {
                    (self.packing, self.replay) = (None, None);
                    let found = self.found.next()?;
                    self.open(&found);
                }
            }
        }
    }
}
