//! The messages of one thread: read as rows are asked for, or taken apart before the first row.

use crate::agents::zed::blob::Rest;
use crate::agents::zed::thread::document::{Damage, ThreadReader};
use crate::agents::zed::thread::fields::{self, Fields};
use crate::agents::zed::thread::sound::Sound;
use crate::json::{Document, Limits, Source};
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
    /// The memory that it keeps.
    pub bytes: usize,
}

impl Taken {
    /// Takes a text apart in one scan. `None` where anything is odd: a [`ThreadReader`] tells what.
    pub fn sound(text: &Arc<Vec<u8>>, max_value_bytes: usize) -> Option<Self> {
        let limits = Limits { max_value_bytes, ..Limits::default() };
        let Sound { messages, fields, heap_bytes } = Sound::of(text, &limits, fields::NAMES)?;
        let given: Vec<Given> = messages.into_iter().enumerate().map(Ok).collect();
        let bytes = heap_bytes + given.capacity() * size_of::<Given>();
        Some(Self { text: Arc::clone(text), fields, given, bytes })
    }

    /// The messages with their positions; `None` where one is damaged.
    pub fn sound_messages(&self) -> Option<impl Iterator<Item = (usize, &Document)>> {
        let is_sound = self.given.iter().all(Result::is_ok);
        is_sound.then(|| self.given.iter().flatten().map(|(index, message)| (*index, message)))
    }

    /// Reads to the end.
    pub fn of<S: Source>(mut reader: ThreadReader<S>, text: Arc<Vec<u8>>) -> Self {
        let given: Vec<Given> = std::iter::from_fn(|| reader.next_message()).collect();
        let messages = given.iter().flatten().map(|(_, message)| message);
        let indexes: usize = messages.map(|message| message.heap_bytes().saturating_sub(text.capacity())).sum();
        let bytes = text.capacity() + indexes + given.capacity() * size_of::<Given>();
        Self { text, fields: reader.fields().clone(), given, bytes }
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
