//! The messages of old text threads.

use crate::agents::zed::NAME;
use crate::agents::zed::stores::StoreKind;
use crate::agents::zed::text_threads::{self, TextMessage, TextThread};
use crate::agents::zed::walk::bounds;
use crate::json::Value;
use crate::model::{Message, MessageKind, TurnType};
use crate::store::find::Found;
use crate::table::{Pointer, Scan, Source, Step};
use crate::text::Text;
use crate::time::Time;
use std::collections::VecDeque;
use std::sync::Arc;

/// The rows of one file; one with the error where it cannot be read.
pub fn rows(scan: &Scan, found: &Found<StoreKind>, time: Option<Time>, out: &mut VecDeque<Message>) {
    let keys = scan.keys("session_id");
    let shared = Message {
        agent: NAME,
        timestamp_utc: time,
        timestamp_basis: time.map(|_| text_threads::TIME_BASIS),
        source: Source::new(&found.place, None),
        ..Message::default()
    };
    match text_threads::read(found, keys.as_deref(), &scan.session, bounds(&scan.session).document_bytes) {
        Ok(None) => {}
        Ok(Some(thread)) => thread_rows(&thread, &shared, out),
        Err(error) => out.push_back(Message { source: shared.source.clone().failed(error), ..shared }),
    }
}

fn thread_rows(thread: &TextThread, shared: &Message, out: &mut VecDeque<Message>) {
    let model = thread.get("model").and_then(|model| model.as_str()).map(Arc::from);
    for (index, message) in thread.messages().enumerate() {
        let row = Message {
            session_id: Some(Arc::clone(&thread.id)),
            message_index: i64::try_from(index).ok(),
            message_id: message.id.clone().map(Text::from),
            model: model.clone(),
            raw: Some(message.raw.verbatim()),
            ..shared.clone()
        };
        message_rows(&message, index, &row, out);
    }
}

/// A row for each part of the text, and one for the error with which the message ended.
fn message_rows(message: &TextMessage<'_>, index: usize, shared: &Message, out: &mut VecDeque<Message>) {
    let pointer = Pointer::from([Step::Name("messages"), Step::Index(index)]);
    let row = |at: usize, pointer: Pointer, turn_type: TurnType, kind: MessageKind, text: Text| Message {
        item_index: i64::try_from(at).ok(),
        turn_type: Some(turn_type),
        kind: Some(kind),
        is_synthetic: Some(false),
        text: Some(text),
        source: shared.source.at(pointer),
        ..shared.clone()
    };
    let parts = match &message.parts {
        Ok(parts) => parts,
        Err(error) => {
            let source = shared.source.at(pointer).failed(error.clone());
            return out.push_back(Message { message_index: None, source, ..shared.clone() });
        }
    };
    for (at, part) in parts.iter().enumerate() {
        let (pointer, turn_type, kind) = match part.thought {
            Some(section) => {
                let pointer = Pointer::from([Step::Name("thought_process_output_sections"), Step::Index(section)]);
                (pointer, TurnType::Thinking, MessageKind::Thinking)
            }
            // Texts around a thought share the message: the position tells them apart.
            None if at > 1 => (pointer.join(at), turn_type(message.role), MessageKind::Text),
            None => (pointer.clone(), turn_type(message.role), MessageKind::Text),
        };
        out.push_back(row(at, pointer, turn_type, kind, Text::from(part.text)));
    }
    if let Some(error) = message.error {
        let text = error.text().unwrap_or_else(|| error.compact());
        let pointer = match message.raw.get("id").and_then(|id| id.as_u64()) {
            // Before 0.4.0 a message's metadata stood under its id.
            Some(id) if message.raw.get("metadata").is_none() => {
                Pointer::record().join("message_metadata").join(Arc::<str>::from(id.to_string())).join("status")
            }
            _ => pointer.join("metadata").join("status"),
        };
        out.push_back(row(parts.len(), pointer, TurnType::System, MessageKind::Error, text));
    }
}

fn turn_type(role: Option<Value<'_>>) -> TurnType {
    match role {
        Some(role) if role.is_str("user") => TurnType::User,
        Some(role) if role.is_str("assistant") => TurnType::Assistant,
        _ => TurnType::System,
    }
}
