//! Where a store's events come from: a walk through the whole value, or through the chats that a statement asks for.

use super::index::{self, Entry, Index};
use super::open::Opened;
use super::origin::StoreFile;
use super::transcript::event::{Event, Shape, Want};
use super::transcript::walk::Walk;
use super::value::Bytes;
use crate::error::Result;
use crate::table::Scan;
use std::sync::Arc;

/// Which chats a statement asks for.
pub struct Filter {
    /// The scan.
    pub scan: Scan,
    ids: Option<Vec<String>>,
}

impl Filter {
    /// What the scan's constraints say.
    pub fn new(scan: &Scan) -> Self {
        Self { ids: scan.keys("session_id"), scan: scan.clone() }
    }

    /// Can no row be asked for?
    pub fn admits_nothing(&self) -> bool {
        self.ids.as_ref().is_some_and(Vec::is_empty)
    }

    /// Does it choose chats, so that an index is worth its while?
    pub fn is_narrow(&self) -> bool {
        self.ids.is_some() || self.scan.constraints.iter().any(|constraint| constraint.column == "rowid")
    }

    /// Are rows of this chat asked for?
    pub fn admits(&self, store: &StoreFile, id: Option<&str>, record: Option<&str>) -> bool {
        let is_asked = self.ids.as_ref().is_none_or(|ids| id.is_some_and(|id| ids.iter().any(|asked| asked == id)));
        is_asked && self.scan.admits_record(&store.place.path, record)
    }
}

/// See the module.
pub enum Events {
    /// Everything, in order.
    Whole(Box<Walk>),
    /// Chats that the index names, in the same order.
    Keyed(Keyed),
}

/// A walk from chat to chat.
pub struct Keyed {
    index: Arc<Index>,
    next: usize,
    walk: Option<Box<Walk>>,
    want: Want,
    is_state: bool,
    bytes: Bytes,
    store: Arc<StoreFile>,
    filter: Arc<Filter>,
}

impl Events {
    /// The events of an opened store.
    ///
    /// # Errors
    /// It does not read, or is of another shape.
    pub fn new(opened: Opened, store: &Arc<StoreFile>, filter: &Arc<Filter>, want: Want) -> Result<Self> {
        if filter.is_narrow() && want.chats
            && let Some(index) = index::of(&opened, store, &filter.scan.session)? {
                return Ok(Self::Keyed(Keyed {
                    index,
                    next: 0,
                    walk: None,
                    want,
                    is_state: opened.shape == Shape::State,
                    bytes: opened.bytes,
                    store: Arc::clone(store),
                    filter: Arc::clone(filter),
                }));
            }
        Ok(Self::Whole(Box::new(Walk::new(&opened.bytes, opened.shape, want)?)))
    }

    /// Captures the turns of the chat in these bounds from here on, or none.
    pub fn want_turns(&mut self, turns: Option<(i64, i64)>) {
        match self {
            Self::Whole(walk) => walk.want_turns(turns),
            Self::Keyed(keyed) => {
                keyed.want.turns = turns;
                keyed.walk.iter_mut().for_each(|walk| walk.want_turns(turns));
            }
        }
    }
}

impl Keyed {
    fn begin(&mut self, position: usize) -> Option<Option<Event>> {
        Some(match self.index.get(position)? {
            Entry::Damage(damage) if self.filter.admits(&self.store, None, self.store.record().as_deref()) => {
                Some(Event::Damage(damage.clone()))
            }
            Entry::Chat(chat) if self.filter.admits(&self.store, chat.id.as_deref(), chat.record.as_deref()) => {
                let (start, end) = chat.start(&self.bytes);
                self.walk = Some(Box::new(Walk::chat(&start, end, self.is_state, self.want)));
                Some(Event::Chat(start))
            }
            _ => None,
        })
    }
}

impl Iterator for Events {
    type Item = Event;

    fn next(&mut self) -> Option<Event> {
        let keyed = match self {
            Self::Whole(walk) => return walk.next(),
            Self::Keyed(keyed) => keyed,
        };
        loop {
            if let Some(event) = keyed.walk.as_mut().and_then(Iterator::next) {
                return Some(event);
            }
            keyed.walk = None;
            keyed.next += 1;
            if let Some(event) = keyed.begin(keyed.next - 1)? {
                return Some(event);
            }
        }
    }
}
