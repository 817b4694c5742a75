//! The lines of the old JetBrains plugin's chats. What the agent's store holds as well is told there.

use super::line;
use crate::agents::cody::legacy::{Damage, LegacyMessage};
use crate::agents::cody::legacy_rows::{source, time, turn};
use crate::agents::cody::legacy_store::{Found, LegacyFile, files};
use crate::error::Result;
use crate::model::{MessageKind, TimelineEntry, TurnType};
use crate::table::{Rows, Scan};
use crate::text::Text;

/// The lines of every file.
///
/// # Errors
/// The root does not exist.
pub fn lines(scan: &Scan) -> Result<Rows<TimelineEntry>> {
    Ok(Box::new(files(scan, true)?.flat_map(|file| file_lines(&file))))
}

fn file_lines(file: &LegacyFile) -> Vec<TimelineEntry> {
    let chats = match &file.chats {
        Ok(chats) => chats,
        Err(error) => {
            let text = super::unreadable(error);
            return vec![line(file.store.failed(error.clone()), text)];
        }
    };
    let mut lines: Vec<TimelineEntry> = chats.iter().flatten().flat_map(|found| chat_lines(found, file)).collect();
    let damaged = |chat: &Result<Found, Damage>| match chat {
        Ok(Found { chat, .. }) => chat.damage().map(|damage| (source(file, chat).at(damage.pointer), damage.error)),
        Err(damage) => Some((file.store.source(damage.pointer.clone()), damage.error.clone())),
    };
    if let Some((source, error)) = chats.iter().find_map(damaged) {
        let (count, what) = (file.count, error.what());
        let text = format!("parser: cody_history.xml did not parse; read {count} chat(s) ({what})");
        // Beside the line of the chat itself.
        let source = source.part(1).failed(error);
        lines.push(TimelineEntry { project_path: file.project.clone(), ..line(source, text) });
    }
    lines
}

fn chat_lines(found: &Found, file: &LegacyFile) -> Vec<TimelineEntry> {
    let chat = &found.chat;
    let time = time(chat);
    let shared = TimelineEntry {
        timestamp_utc: time.map(|(time, _)| time),
        timestamp_basis: time.map(|(_, basis)| basis),
        session_id: chat.session_id(),
        project_path: file.project.clone(),
        ..line(source(file, chat), String::new())
    };
    let (id, account) = (chat.internal_id.as_deref().unwrap_or_default(), chat.account.as_deref().unwrap_or_default());
    let count = chat.messages.len();
    let text = format!("chat: {id} | account={account} | messages={count} (legacy JetBrains history)");
    let mut lines = vec![TimelineEntry { text: Some(text.into()), ..shared.clone() }];
    let mut model = chat.model.clone().filter(|_| !found.is_copied());
    for (position, (message, is_copied)) in chat.messages.iter().zip(&found.copied).enumerate() {
        let (Some(turn), Some(text)) = (turn(message), said(message)) else { continue };
        if turn == TurnType::Assistant
            && let Some(model) = model.take()
        {
            let source = shared.source.at(chat.message_pointer(position).join("model"));
            let text = Some(format!("model: {model}").into());
            lines.push(TimelineEntry { model: Some(model), text, source, ..shared.clone() });
        }
        if !is_copied {
            lines.push(TimelineEntry {
                turn_type: Some(turn),
                kind: Some(MessageKind::Text),
                model: chat.model.clone().filter(|_| turn == TurnType::Assistant),
                text: Some(text),
                source: shared.source.at(chat.message_pointer(position)),
                ..shared.clone()
            });
        }
    }
    lines
}

fn said(message: &LegacyMessage) -> Option<Text> {
    message.text.clone().map(Text::Shared)
}
