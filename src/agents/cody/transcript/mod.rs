//! Chats as Cody saved them, from 2023-03 on, read turn by turn.
//!
//! [`walk::Walk`] goes through one JSON value of any shape that holds chats (the state row, a history, an export) and
//! gives [`event::Event`]s in document order: a chat begins, its head fields, its turns, its end, prompts, damage. A
//! [`Turn`] is one interaction (or, of 2023-03, one message) as a captured [`Document`]; nothing of it is decoded.
//! From there on all is pure: [`Turn::messages`] gives what was said, [`items::items`] the parts of a message,
//! [`context::of_turn`] what was attached.
//!
//! Tables do not walk themselves: they implement [`super::reading::Reading`], which gets every turn together with its
//! [`super::chat::Chat`].
//!
//! | era, told by shape | where the messages are | message index |
//! |---|---|---|
//! | `messages` (2023-03) | the chat is an array of them | its position |
//! | `interactions` (2023-04 to v1.8) | `interactions[i]`, with context and time beside the two messages | 2i, 2i + 1 |
//! | `serialized` (since v1.8.1, 2024-03) | `interactions[i]`, context on the message | 2i, 2i + 1 |
//! | `light` (exports of v1.84) | none | |

pub mod context;
pub mod event;
pub mod items;
mod keys;
pub mod uri;
pub mod walk;

use crate::json::{Document, Value};
use crate::table::Pointer;
use crate::time::Time;

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The person, or what stands in the person's turn.
    Human,
    /// The model.
    Assistant,
    /// The program.
    System,
}

/// How messages are laid out in a chat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// `{humanMessage, assistantMessage}`.
    Pair,
    /// A message by itself, of 2023-03.
    Lone,
}

impl Form {
    /// The message index with which the element at `position` of the chat begins.
    pub fn first_index(self, position: usize) -> i64 {
        let position = i64::try_from(position).unwrap_or(i64::MAX / 2);
        match self {
            Self::Pair => position.saturating_mul(2),
            Self::Lone => position,
        }
    }

    /// How many messages an element has at the most.
    pub const fn width(self) -> i64 {
        match self {
            Self::Pair => 2,
            Self::Lone => 1,
        }
    }
}

/// One element of a chat's list: an interaction, or a message of 2023-03.
#[derive(Debug, Clone)]
pub struct Turn {
    /// How it is laid out.
    pub form: Form,
    /// Its position in the list, from 0.
    pub position: usize,
    /// The element, an object.
    pub document: Document,
    /// Where it stands in the file or row.
    pub pointer: Pointer,
}

/// One message of a turn.
#[derive(Debug, Clone, Copy)]
pub struct Said<'t> {
    /// Its position in the chat.
    pub index: i64,
    /// Who speaks: the `speaker` that is stored, else what the place says.
    pub role: Role,
    /// The message; anything but `null`.
    pub value: Value<'t>,
    /// `humanMessage` or `assistantMessage`; `None` where the turn itself is the message.
    pub field: Option<&'static str>,
}

impl Turn {
    /// The message index that its first message has.
    pub fn first_index(&self) -> i64 {
        self.form.first_index(self.position)
    }

    /// What was said, the person first. An answer that is missing or `null` is no message.
    pub fn messages(&self) -> impl Iterator<Item = Said<'_>> {
        const FIELDS: [(&str, Role); 2] = [("humanMessage", Role::Human), ("assistantMessage", Role::Assistant)];
        let turn = self.document.root();
        let lone = (self.form == Form::Lone).then(|| {
            let role = if self.position.is_multiple_of(2) { Role::Human } else { Role::Assistant };
            Said { index: self.first_index(), role: role_of(turn, role), value: turn, field: None }
        });
        let fields = FIELDS.into_iter().zip(self.first_index()..).filter(|_| self.form == Form::Pair);
        let pair = fields.filter_map(move |((field, role), index)| {
            let value = turn.get(field).filter(|value| !value.is_null())?;
            Some(Said { index, role: role_of(value, role), value, field: Some(field) })
        });
        lone.into_iter().chain(pair)
    }

    /// The time that the turn itself records, and whether it is of an unknown zone. Builds of 2023 recorded when it
    /// was sent, later ones until v1.8 when it was saved, one fortnight's `n/a`.
    pub fn time(&self) -> Option<(Time, bool)> {
        let time = self.document.root().get("timestamp")?;
        Time::parse_chat_id(&time.as_str()?)
    }

    /// Was it written before v1.8.1, when context and time stood beside the messages?
    pub fn is_early(&self) -> bool {
        let turn = self.document.root();
        ["timestamp", "usedContextFiles", "fullContext", "context"].iter().any(|key| turn.get(key).is_some())
    }
}

impl Said<'_> {
    /// Where the message stands.
    pub fn pointer(&self, turn: &Turn) -> Pointer {
        self.field.map_or_else(|| turn.pointer.clone(), |field| turn.pointer.join(field))
    }
}

fn role_of(message: Value<'_>, by_place: Role) -> Role {
    match message.get("speaker") {
        Some(speaker) if speaker.is_str("human") => Role::Human,
        Some(speaker) if speaker.is_str("assistant") => Role::Assistant,
        Some(speaker) if speaker.is_str("system") => Role::System,
        _ => by_place,
    }
}
