//! The heads of rows that a connection keeps of whole stores, since a question about them is asked again in other words.

use super::events::Filter;
use super::origin::StoreFile;
use super::reading::Failure;
use super::stores::StoreKind;
use crate::agents::shared::kept;
use crate::store::sqlite::{Database, Stamp, pool};
use crate::table::{HeadColumns, Packer, Pointer, Record, Row, Session, Setting, Source};
use std::path::PathBuf;
use std::sync::Arc;

/// Which heads a scan may be given, and which of its own may be kept.
#[derive(Default)]
pub struct Asked {
    given: Option<Arc<HeadColumns>>,
    kept: Option<Arc<HeadColumns>>,
}

impl Asked {
    /// What the scan asks for, if its rows are of kind `R` and it goes through whole stores.
    pub fn of<R: Row>(filter: &Filter) -> Self {
        let scan = &filter.scan;
        let given = scan.heads.clone().filter(|heads| heads.are_of::<R>() && !filter.is_narrow());
        let gives_all = scan.constraints.iter().all(|one| one.column == "agent");
        Self { kept: given.clone().filter(|_| gives_all), given }
    }
}

type Key = (PathBuf, StoreKind);

/// What the rows of a store depend on beside its name and kind.
#[derive(Debug, Clone, PartialEq)]
pub struct State {
    stamp: Stamp,
    /// The connection's limits.
    limits: [i64; 2],
}

impl State {
    /// The state of a store now; `None` where its rows are not kept: there is no memory for them, or no change of the
    /// store is sure to be seen.
    fn now(store: &StoreFile, session: &Arc<Session>) -> Option<Self> {
        if !store.is_state() || session.setting(Setting::CacheBytes) <= 0 {
            return None;
        }
        let stamp = pool::with(session, &store.path, Database::stamp).ok()?;
        let limits = [Setting::MaxValueBytes, Setting::MaxDocumentBytes].map(|limit| session.setting(limit));
        Some(Self { stamp, limits })
    }
}

/// What is kept of stores.
type Kept = kept::Kept<Key, State, Records>;

/// The rows of a store.
struct Records {
    columns: Arc<HeadColumns>,
    /// Each stands for rows of one record that follow each other.
    records: Arc<Vec<Source>>,
    bytes: usize,
}

impl kept::Part for Records {
    fn bytes(&self) -> usize {
        self.bytes
    }

    fn replaces(&self, old: &Self) -> bool {
        self.columns.hold(&old.columns)
    }
}

/// What is known of a store when a scan comes to it.
pub enum Known {
    /// All its rows.
    Rows(Replay),
    /// Nothing: its rows may be worth keeping.
    Nothing(Option<Box<Packing>>),
}

/// Looks for a store's rows.
pub fn known(store: &Arc<StoreFile>, session: &Arc<Session>, asked: &Asked) -> Known {
    let Some(columns) = &asked.given else { return Known::Nothing(None) };
    let Some(state) = State::now(store, session) else { return Known::Nothing(None) };
    let (kept, key) = (session.slot::<Kept>(), (store.path.clone(), store.kind));
    let records = |part: &Records| part.columns.hold(columns).then(|| Arc::clone(&part.records));
    if let Some(records) = kept.find(&key, &state, records) {
        return Known::Rows(Replay { store: Arc::clone(store), records, next: 0 });
    }
    let budget = usize::try_from(session.setting(Setting::CacheBytes)).unwrap_or(0);
    let packing = |columns| {
        let (packer, records) = (Packer::new(&columns), Vec::new());
        let (bytes, given, open, together) = (0, 0, None, 1);
        Box::new(Packing { kept, key, state, columns, budget, records, bytes, given, open, packer, together })
    };
    Known::Nothing(asked.kept.clone().map(packing))
}

/// The rows of a store, record by record, as failures: every table makes one row of each.
pub struct Replay {
    store: Arc<StoreFile>,
    records: Arc<Vec<Source>>,
    next: usize,
}

impl Iterator for Replay {
    type Item = Failure;

    fn next(&mut self) -> Option<Failure> {
        let record = self.records.get(self.next)?;
        self.next += 1;
        // The root may be spelled in another way now.
        let key = record.record.as_ref().and_then(|record| record.key.clone());
        let source = Source { record: Some(Record::new(&self.store.place, key)), ..record.clone() };
        Some(Failure::of_store(&self.store, source))
    }
}

/// So many rows of a record wait at the most until they go out.
const MOST_ROWS: usize = 512;

/// The rows of the store that is being read. They go out packed: first one by one, then more and more of them at once.
pub struct Packing {
    kept: Arc<Kept>,
    key: Key,
    state: State,
    columns: Arc<HeadColumns>,
    budget: usize,
    records: Vec<Source>,
    bytes: usize,
    /// How many of these went out.
    given: usize,
    /// The record that is being read, and its rows that wait.
    open: Option<Source>,
    packer: Packer,
    /// So many rows go out together.
    together: usize,
}

impl Packing {
    /// Adds the next row; false where the store's rows cannot be kept, this one not even now.
    pub fn add(&mut self, row: &impl Row) -> bool {
        let source = row.source();
        if self.open.as_ref().is_none_or(|open| open.record != source.record) {
            self.close();
            self.open = Some(source.at(Pointer::record()));
        }
        // One store must not push out all others.
        let room = (self.budget / 2).saturating_sub(self.bytes);
        let is_added = self.packer.bytes() <= room && self.packer.add(row);
        if self.packer.rows() >= self.together {
            self.together = MOST_ROWS.min(self.together * 2);
            self.close();
        }
        is_added
    }

    /// The rows that wait are due.
    pub fn close(&mut self) {
        let Some(source) = self.open.take() else { return };
        if self.packer.rows() == 0 {
            return;
        }
        let heads = self.packer.finish();
        self.bytes += size_of::<Source>() + heads.bytes();
        self.records.push(Source { heads: Some(Arc::new(heads)), ..source });
    }

    /// The rows that are due, each of which stands for some of its record.
    pub fn due(&mut self) -> impl Iterator<Item = Source> {
        let given = std::mem::replace(&mut self.given, self.records.len());
        self.records.iter().skip(given).cloned()
    }

    /// All rows were added, and none waits.
    pub fn keep(self) {
        let Self { kept, key, state, columns, budget, records, bytes, .. } = self;
        kept.put(key, state, Records { columns, records: Arc::new(records), bytes }, budget);
    }
}
