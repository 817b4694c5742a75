//! The walk through a value that holds chats: which level it is on, and what it meets there.
//!
//! Damage costs as little as it can: the walk goes on behind the damaged element of the innermost list or object that
//! it had entered. A value that is cut ends the walk, behind everything that stood before the cut.
//!
//! Two chats under one key of one account are both given: a stream cannot know that another will follow. `JSON.parse`
//! would keep the later one only, but no JSON writer makes such a value, and whoever meets one wants to see both.

use super::super::value::{Bytes, Part};
use super::Form;
use super::event::{ChatEnd, ChatStart, Event, Shape, Want};
use crate::error::{Error, Result};
use crate::json::{Kind, Reader};
use crate::table::{Pointer, Step};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::ops::Range;
use std::sync::Arc;

mod again;
mod damage;
mod levels;

use again::Again;

/// A container that the walk is in.
struct Level {
    kind: LevelKind,
    pointer: Pointer,
    account: Option<Arc<str>>,
    /// Elements that were begun.
    count: usize,
    /// Damage in it that is in no element.
    faults: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LevelKind {
    State,
    History,
    Account,
    Import,
    Chats,
    List,
    /// The place of one chat.
    Single,
    Chat,
    /// A chat that is none.
    NoChat,
    Turns(Form),
    Inputs,
}

/// The chat that the walk is in.
struct Open {
    /// How many levels were open when it began.
    depth: usize,
    start: u64,
    elements: usize,
    form: Form,
    has_list: bool,
    error: Option<Error>,
    is_chat: bool,
}

/// See the module.
pub struct Walk {
    reader: Reader<Part>,
    bytes: Bytes,
    want: Want,
    levels: Vec<Level>,
    chat: Option<Open>,
    /// Why the chat that begins is none.
    no_chat: Option<Error>,
    /// How often each chat's place was met, by its hash.
    places: HashMap<u64, u32>,
    /// The chat behind damage that would have swallowed it.
    again: Option<Again>,
    /// How many bytes damage swallowed that were read again.
    read_again: u64,
    /// A history that stands as JSON in a string.
    inner: Option<Box<Walk>>,
    /// Does the value hold other things than chats, things that must not show?
    is_state: bool,
    /// After a syntax error the walk may be lost, and what it meets may be anything.
    is_torn: bool,
    is_cut: bool,
    is_done: bool,
}

type Met = Result<Option<Event>>;

impl Walk {
    /// A walk through a whole value.
    ///
    /// # Errors
    /// The value does not begin as one of this shape.
    pub fn new(bytes: &Bytes, shape: Shape, want: Want) -> Result<Self> {
        Self::placed(bytes, shape, Pointer::record(), want)
    }

    fn placed(bytes: &Bytes, shape: Shape, pointer: Pointer, want: Want) -> Result<Self> {
        let mut walk = Self::over(bytes, 0..u64::MAX, shape == Shape::State, want);
        match shape {
            Shape::State => {
                walk.reader.begin_object()?;
                walk.push(LevelKind::State, pointer, None);
            }
            Shape::History => {
                walk.enter_history(pointer)?;
            }
            Shape::Import => {
                walk.reader.begin_object()?;
                walk.push(LevelKind::Import, pointer, None);
            }
            Shape::List => {
                walk.reader.begin_array()?;
                walk.push(LevelKind::List, pointer, None);
            }
            Shape::Chat => walk.push(LevelKind::Single, pointer, None),
        }
        Ok(walk)
    }

    /// A walk through one chat whose start is known: it gives what a walk through the whole value gives behind
    /// [`Event::Chat`], up to [`Event::End`]. A damaged one must be followed by what follows it in the value, where its
    /// end may have to be looked for.
    pub fn chat(start: &ChatStart, end: u64, is_state: bool, want: Want) -> Self {
        let mut walk = Self::over(&start.bytes, start.start..end, is_state, want);
        walk.reader = match &start.key {
            Some(_) => walk.reader.inside(Kind::Object),
            None if start.pointer.is_empty() => walk.reader,
            None => walk.reader.inside(Kind::Array),
        };
        (walk.is_done, walk.is_torn) = (true, start.is_torn);
        // That it begins is known, and why it is none the next event tells.
        let _ = walk.begin_chat(start.pointer.clone(), start.account.clone(), start.key.clone());
        walk
    }

    fn over(bytes: &Bytes, range: Range<u64>, is_state: bool, want: Want) -> Self {
        Self {
            reader: bytes.reader(range),
            bytes: bytes.clone(),
            want,
            levels: Vec::new(),
            chat: None,
            no_chat: None,
            places: HashMap::new(),
            again: None,
            read_again: 0,
            inner: None,
            is_state,
            is_torn: false,
            is_cut: false,
            is_done: false,
        }
    }

    /// Captures the turns of the chat in these bounds from here on, or none.
    pub fn want_turns(&mut self, turns: Option<(i64, i64)>) {
        self.want.turns = turns;
        if let Some(inner) = &mut self.inner {
            inner.want_turns(turns);
        }
    }

    fn push(&mut self, kind: LevelKind, pointer: Pointer, account: Option<Arc<str>>) {
        self.levels.push(Level { kind, pointer, account, count: 0, faults: 0 });
    }

    /// The place of something below the innermost level.
    fn below(&self, step: impl Into<Step>) -> Pointer {
        self.levels.last().map(|level| level.pointer.join(step)).unwrap_or_default()
    }

    fn account(&self) -> Option<Arc<str>> {
        self.levels.last().and_then(|level| level.account.clone())
    }

    /// Counts an element of the innermost list; its position.
    fn count(&mut self) -> usize {
        let Some(level) = self.levels.last_mut() else { return 0 };
        level.count += 1;
        if let (LevelKind::Turns(_), Some(chat)) = (level.kind, &mut self.chat) {
            chat.elements = level.count;
        }
        level.count - 1
    }

    fn uncount(&mut self) {
        let Some(level) = self.levels.last_mut() else { return };
        level.count = level.count.saturating_sub(1);
        if let (LevelKind::Turns(_), Some(chat)) = (level.kind, &mut self.chat) {
            chat.elements = level.count;
        }
    }

    /// How many chats stood in this place up to now.
    fn nth(&mut self, place: &Pointer) -> u32 {
        let mut hasher = DefaultHasher::new();
        place.steps().for_each(|step| match step {
            Step::Name(name) => name.hash(&mut hasher),
            Step::Key(key) => key.hash(&mut hasher),
            Step::Index(index) => index.hash(&mut hasher),
        });
        let count = self.places.entry(hasher.finish()).or_default();
        *count += 1;
        *count
    }

    fn leave(&mut self) -> Option<Event> {
        self.levels.pop();
        let depth = self.levels.len();
        let chat = self.chat.take_if(|chat| depth <= chat.depth)?;
        Some(self.end(chat))
    }

    fn end(&self, chat: Open) -> Event {
        let end = match &self.again {
            Some(again) => again.start,
            None if self.is_cut => self.bytes.len(),
            None => self.reader.position(),
        };
        let Open { start, elements, form, error, is_chat, .. } = chat;
        Event::End(ChatEnd { range: start..end, elements, form, error, is_chat })
    }

    /// Behind the last level.
    fn finish(&mut self) -> Option<Event> {
        if let Some(chat) = self.chat.take() {
            return Some(self.end(chat));
        }
        if std::mem::replace(&mut self.is_done, true) {
            return None;
        }
        let error = self.reader.finish().err()?;
        Some(self.damage(error))
    }
}

impl Iterator for Walk {
    type Item = Event;

    fn next(&mut self) -> Option<Event> {
        loop {
            match self.inner.as_mut().map(Iterator::next) {
                Some(Some(event)) => return Some(event),
                Some(None) => self.inner = None,
                None => {}
            }
            if self.again.is_some() {
                return self.go_on();
            }
            let Some(level) = self.levels.last() else { return self.finish() };
            let met = match level.kind {
                LevelKind::State => self.in_state(),
                LevelKind::History => self.in_history(false),
                LevelKind::Account => self.in_history(true),
                LevelKind::Import => self.in_import(),
                LevelKind::Chats => self.in_chats(),
                LevelKind::List => self.in_list(),
                LevelKind::Single => self.in_single(),
                LevelKind::Chat => self.in_chat(),
                LevelKind::NoChat => self.in_no_chat(),
                LevelKind::Turns(form) => self.in_turns(form),
                LevelKind::Inputs => self.in_inputs(),
            };
            match met {
                Ok(Some(event)) => return Some(event),
                Ok(None) => {}
                Err(error) => return Some(self.damage(error)),
            }
        }
    }
}

#[cfg(test)]
mod tests;
