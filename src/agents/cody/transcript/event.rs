//! What a walk captures, and what it meets.

use super::super::value::Bytes;
use super::{Form, Turn};
use crate::error::Error;
use crate::json::Document;
use crate::table::Pointer;
use crate::text::Text;
use std::ops::Range;
use std::sync::Arc;

/// What a walk captures. Everything else is passed over, checked but not kept.
#[derive(Debug, Clone, Copy, Default)]
pub struct Want {
    /// Chats: that they begin, and end.
    pub chats: bool,
    /// The fields of their heads.
    pub fields: bool,
    /// Their turns, those with a message index in these bounds.
    pub turns: Option<(i64, i64)>,
    /// Old prompt histories (`input`).
    pub inputs: bool,
    /// Small values of the state that tables read whole.
    pub members: bool,
}

/// What a value is on its top level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Cody's state: a member a key.
    State,
    /// A history: accounts, or (before them, and in an export) `chat` and `input`.
    History,
    /// What the agent's clients hand to `chat/import`: accounts that hold their chats themselves.
    Import,
    /// An export: a list of chats.
    List,
    /// An export: one chat.
    Chat,
}

/// A chat that begins.
#[derive(Clone)]
pub struct ChatStart {
    /// The account's key; `None` before accounts, and in exports.
    pub account: Option<Arc<str>>,
    /// The chat's key; `None` in a list.
    pub key: Option<Arc<str>>,
    /// Where it stands in the file or row.
    pub pointer: Pointer,
    /// The value that holds it.
    pub bytes: Bytes,
    /// The offset of its first byte there.
    pub start: u64,
    /// Was the value damaged before?
    pub is_torn: bool,
    /// Which one it is of the chats under this key, from 1: a JSON writer makes one.
    pub nth: u32,
}

impl ChatStart {
    /// The record of the rows of the chat with this id: itself, unless another chat in the same place has it already.
    pub fn record(&self, id: Option<Arc<str>>) -> Option<Arc<str>> {
        match id {
            Some(id) if self.nth > 1 => Some(format!("{id} #{}", self.nth).into()),
            id => id,
        }
    }
}

/// A chat's end.
#[derive(Debug, Clone, PartialEq)]
pub struct ChatEnd {
    /// The chat's bytes; up to the end of the value where it is cut.
    pub range: Range<u64>,
    /// Elements of its list of interactions or messages.
    pub elements: usize,
    /// How these are laid out.
    pub form: Form,
    /// The first damage in it that is no JSON, or makes it no chat.
    pub error: Option<Error>,
    /// Is it a chat at all?
    pub is_chat: bool,
}

/// A field of a chat's head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    /// The id in the chat itself, or beside it in an export.
    Id,
    /// The title.
    Title,
    /// `lastInteractionTimestamp`, which is when the chat was started.
    LastInteraction,
    /// The model of the whole chat, of before v1.32 and in light exports.
    Model,
    /// The first prompt, in light exports.
    FirstPrompt,
}

impl Field {
    /// The field under a key.
    pub(super) fn of(key: &str) -> Option<Self> {
        Some(match key {
            "id" | "chatID" => Self::Id,
            "chatTitle" => Self::Title,
            "lastInteractionTimestamp" => Self::LastInteraction,
            "chatModel" | "model" => Self::Model,
            "firstHumanMessageText" => Self::FirstPrompt,
            _ => return None,
        })
    }
}

/// Something that does not read.
#[derive(Debug, Clone)]
pub struct Damage {
    /// What is wrong, without file and record.
    pub error: Error,
    /// Where.
    pub pointer: Pointer,
    /// The account whose chats or prompts are read.
    pub account: Option<Arc<str>>,
    /// The first message index of the element that does not read.
    pub index: Option<i64>,
    /// Which one it is of those in one place, from 0.
    pub part: u32,
    /// The element as stored; bytes that are not UTF-8 as hex. `None` where it is not known, or may hold what must not
    /// show.
    pub raw: Option<Text>,
}

/// What a walk meets, in document order.
pub enum Event {
    /// A chat begins. Until its [`Event::End`] everything belongs to it.
    Chat(ChatStart),
    /// A field of its head.
    Field(Field, Document),
    /// An interaction or message.
    Turn(Turn),
    /// The chat's end.
    End(ChatEnd),
    /// One prompt of an old prompt history, its account, its place.
    Input(Option<Arc<str>>, Document, Pointer),
    /// A small value of the state, under its key.
    Member(String, Document),
    /// Something does not read.
    Damage(Damage),
}
