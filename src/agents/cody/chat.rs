//! What is known of a chat beside its turns.

use super::accounts::Account;
use super::origin::{Origin, StoreFile};
use super::transcript::Turn;
use super::transcript::event::{ChatEnd, ChatStart, Field};
use super::value::Bytes;
use crate::error::{Error, Kind, Result};
use crate::json::Document;
use crate::table::{Pointer, Record, Source};
use crate::text::Text;
use crate::time::Time;
use std::sync::Arc;

/// A chat whose turns are being read.
#[derive(Debug, Clone)]
pub struct Chat {
    /// The store that holds it.
    pub store: Arc<StoreFile>,
    /// Its account; all unknown before accounts, and in exports.
    pub account: Arc<Account>,
    /// The chat's id: its key, in an export its own `chatID` or `id`.
    pub id: Option<Arc<str>>,
    /// The rows' record. Its key is the id; a second chat of one key has `#2` behind it.
    pub record: Arc<Record>,
    /// Where it stands in the file or row.
    pub pointer: Pointer,
    /// The value that holds it.
    pub bytes: Bytes,
    /// When it was started, and which field says so.
    pub created: Option<(Time, &'static str)>,
    /// The folder that its context files share. Known where it was asked for.
    pub project_path: Option<Arc<str>>,
}

impl Chat {
    /// The origin of its rows.
    pub fn origin(&self) -> Origin {
        self.store.origin(&self.account)
    }

    /// Something in the chat.
    pub fn source(&self, pointer: Pointer) -> Source {
        Source::of(&self.record, pointer)
    }

    /// The chat as stored, JSON text.
    ///
    /// # Errors
    /// It is larger than `max_document_bytes`, or no longer reads.
    pub fn document(&self, end: &ChatEnd) -> Result<Text> {
        let bytes = self.bytes.read(end.range.clone())?;
        String::from_utf8(bytes).map(Text::from).map_err(|_| Error::new(Kind::Utf8, "a document that is not UTF-8"))
    }

    /// A turn's time and what it is: the turn's own, else the chat's.
    pub fn time_of(&self, turn: &Turn) -> Option<(Time, &'static str)> {
        let own = turn.time().map(|(time, is_local)| (time, if is_local { "interaction_local" } else { "interaction" }));
        own.or(self.created)
    }
}

/// A field of at most so many bytes is copied: it would keep the reader's window and index in memory, and the reader
/// would need others for the turns.
const COPIED_BYTES: usize = 4 << 10;

/// The fields of a chat's head, as they come; those that are texts.
#[derive(Debug, Clone, Default)]
pub struct Head {
    id: Option<Text>,
    title: Option<Text>,
    last_interaction: Option<Text>,
    model: Option<Text>,
    first_prompt: Option<Text>,
}

impl Head {
    /// Takes a field; of several the last counts.
    pub fn set(&mut self, field: Field, document: &Document) {
        let slot = match field {
            Field::Id => &mut self.id,
            Field::Title => &mut self.title,
            Field::LastInteraction => &mut self.last_interaction,
            Field::Model => &mut self.model,
            Field::FirstPrompt => &mut self.first_prompt,
        };
        let value = document.root();
        let is_short = value.bytes().len() <= COPIED_BYTES;
        *slot = value.text().map(|text| if is_short { Text::from(text.to_str()) } else { text });
    }

    /// The title. An empty one means none.
    pub fn title(&self) -> Option<Text> {
        self.title.clone().filter(|title| *title != "")
    }

    /// `lastInteractionTimestamp` as stored.
    pub fn last_interaction(&self) -> Option<Text> {
        self.last_interaction.clone()
    }

    /// The model of the whole chat.
    pub fn model(&self) -> Option<Text> {
        self.model.clone()
    }

    /// The first prompt, where the chat is without turns.
    pub fn first_prompt(&self) -> Option<Text> {
        self.first_prompt.clone()
    }

    /// The chat's id: its key, else its own.
    pub fn id(&self, start: &ChatStart) -> Option<Arc<str>> {
        let own = || self.id.as_ref().map(|id| Arc::from(&*id.to_str()));
        start.key.clone().or_else(own)
    }

    /// When the chat was started. The id tells, in every form but the UUIDs of one week of 2024 and what others
    /// imported; then `lastInteractionTimestamp` does, which never was the last interaction's time.
    pub fn created(&self, id: Option<&str>) -> Option<(Time, &'static str)> {
        let of = |text: &str, basis, local| {
            Time::parse_chat_id(text).map(|(time, is_local)| (time, if is_local { local } else { basis }))
        };
        let field = || of(&self.last_interaction.as_ref()?.to_str(), "record", "record_local");
        id.and_then(|id| of(id, "chat_id", "chat_id_local")).or_else(field)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// K08.
    #[test]
    fn the_id_tells_when_a_chat_was_started() {
        for (id, last, want) in [
            ("Wed, 20 Nov 2024 08:00:00 GMT", "n/a", Some(("2024-11-20T08:00:00.000Z", "chat_id"))),
            ("2023-06-01T09:00:00.000Z", "", Some(("2023-06-01T09:00:00.000Z", "chat_id"))),
            ("2024-01-31T01:06:18.524621", "", Some(("2024-01-31T01:06:18.524Z", "chat_id_local"))),
            (
                "0f8b7034-0000-4000-8000-000000000001",
                "Fri, 03 Oct 2025 10:00:00 GMT",
                Some(("2025-10-03T10:00:00.000Z", "record")),
            ),
            ("my own id", "n/a", None),
        ] {
            let mut head = Head::default();
            head.set(Field::LastInteraction, &Document::parse(format!("\"{last}\"").into_bytes()).unwrap());
            let got = head.created(Some(id)).map(|(time, basis)| (time.to_string(), basis));
            assert_eq!(got, want.map(|(time, basis)| (time.to_owned(), basis)), "{id}");
        }
    }

    #[test]
    fn a_field_is_the_same_text_whatever_its_length() {
        for length in [0, 1, COPIED_BYTES - 2, COPIED_BYTES, 1 << 20] {
            let mut head = Head::default();
            let title = "t".repeat(length);
            head.set(Field::Title, &Document::parse(format!(r#""\u0074{title}""#).into_bytes()).unwrap());
            assert_eq!(head.title().unwrap(), *format!("t{title}"));
            head.set(Field::Title, &Document::parse(b"7".to_vec()).unwrap());
            assert_eq!(head.title(), None, "the last one counts");
        }
    }
}
