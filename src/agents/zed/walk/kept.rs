//! What a connection keeps of threads: documents taken apart, since a join asks for the same one again and again, and
//! the heads of rows, since a question about them is asked again in other words.

use super::feed::Taken;
use crate::agents::shared::kept;
use crate::agents::zed::blob::Bounds;
use crate::store::sqlite::Stamp;
use crate::table::{HeadColumns, Heads};
use std::ffi::OsStr;
use std::sync::Arc;

/// What is kept. Documents go first, then heads.
pub type Kept = kept::Kept<Key, State, Part>;

/// The row of a store.
pub type Key = (Arc<OsStr>, i64);

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

impl Part {
    /// The document, if this is one.
    pub fn document(&self) -> Option<Arc<Taken>> {
        match self {
            Self::Document(taken) => Some(Arc::clone(taken)),
            Self::Heads(_) => None,
        }
    }

    /// The heads, if these are some and have all of these columns.
    pub fn heads(&self, columns: &HeadColumns) -> Option<Arc<Heads>> {
        match self {
            Self::Heads(heads) if heads.columns().hold(columns) => Some(Arc::clone(heads)),
            _ => None,
        }
    }
}

impl kept::Part for Part {
    fn bytes(&self) -> usize {
        match self {
            Self::Document(taken) => taken.bytes,
            Self::Heads(heads) => heads.bytes(),
        }
    }

    fn replaces(&self, old: &Self) -> bool {
        match (self, old) {
            (Self::Document(_), Self::Document(_)) => true,
            (Self::Heads(new), Self::Heads(old)) => new.columns().hold(old.columns()),
            _ => false,
        }
    }

    fn goes_first(&self) -> bool {
        matches!(self, Self::Document(_))
    }
}
