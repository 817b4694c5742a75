//! The messages of one thread: read as rows are asked for, or taken apart before the first row.

use crate::agents::zed::blob::Rest;
use crate::agents::zed::thread::document::{Damage, ThreadReader};
use crate::agents::zed::thread::fields::Fields;
use crate::json::{Document, Source};
use crate::store::sqlite::Blob;
use std::sync::Arc;

/// A walk through the document of a row.
pub type Reading = ThreadReader<Option<Rest<Blob>>>;

/// A message with its position, or what is damaged in its place.
pub type Given = Result<(usize, Document), Damage>;

/// A document of usual size, taken apart.
pub struct Taken {
    /// Its text, which the messages share.
    pub text: Arc<Vec<u8>>,
    /// The members around the messages.
    pub fields: Fields,
    given: Vec<Given>,
}

impl Taken {
    /// Reads to the end.
    pub fn of<S: Source>(mut reader: ThreadReader<S>, text: Arc<Vec<u8>>) -> Self {
        let given = std::iter::from_fn(|| reader.next_message()).collect();
        Self { text, fields: reader.fields().clone(), given }
    }

    /// Could all of it be read?
    pub fn is_sound(&self) -> bool {
        self.given.iter().all(Result::is_ok)
    }

    /// The memory that it keeps.
    pub fn bytes(&self) -> usize {
        let messages = self.given.iter().flatten().map(|(_, message)| message);
        let indexes: usize = messages.map(|message| message.heap_bytes().saturating_sub(self.text.capacity())).sum();
        self.text.capacity() + indexes + self.given.capacity() * size_of::<Given>()
    }
}

/// Where a thread's messages come from.
pub enum Feed {
    /// The text, read as rows are asked for.
    Reading(Box<Reading>),
    /// What was taken apart.
    Taken {
        /// All of it.
        taken: Arc<Taken>,
        /// How much of it was given.
        next: usize,
        /// The first and the last message that are asked for; `None` for none.
        asked: Option<(usize, usize)>,
    },
}

impl Feed {
    /// The next message, or damage.
    pub fn next(&mut self) -> Option<Given> {
        match self {
            Self::Reading(reader) => reader.next_message(),
            Self::Taken { taken, next, asked } => loop {
                let given = taken.given.get(*next)?;
                *next += 1;
                let is_asked = |index: &usize| asked.is_some_and(|(first, last)| (first..=last).contains(index));
                if given.as_ref().map_or(true, |(index, _)| is_asked(index)) {
                    return Some(given.clone());
                }
            },
        }
    }

    /// The members around the messages, as far as they have been read.
    pub fn fields(&self) -> &Fields {
        match self {
            Self::Reading(reader) => reader.fields(),
            Self::Taken { taken, .. } => &taken.fields,
        }
    }
}
