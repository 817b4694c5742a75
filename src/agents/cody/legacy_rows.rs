//! Rows of the old JetBrains plugin's chats, in the tables of chats and messages.

use super::accounts::Account;
use super::chats::CodyChat;
use super::legacy::{Damage, LegacyChat, LegacyMessage};
use super::legacy_store::{Found, LegacyFile, files};
use super::messages::CodyMessage;
use super::origin::Origin;
use crate::error::Result;
use crate::model::{Message, MessageKind, TurnType};
use crate::table::{Rows, Scan, Source, With};
use crate::text::Text;
use crate::time::Time;
use std::sync::Arc;

/// The rows of `cody_messages`.
///
/// # Errors
/// The root does not exist.
pub fn messages(scan: &Scan) -> Result<Rows<CodyMessage>> {
    let files = files(scan, scan.wants("is_secondary"))?;
    Ok(Box::new(files.flat_map(|file| {
        let rows = |found: Result<&Found, Source>| match found {
            Ok(found) => message_rows(found, &file),
            Err(source) => vec![With {
                base: Message {
                    agent: super::NAME,
                    project_path: file.project.clone(),
                    source,
                    ..Message::default()
                },
                extra: origin(&file, None, false),
            }],
        };
        each(&file, rows)
    })))
}

/// The rows of `cody_chats`.
///
/// # Errors
/// The root does not exist.
pub fn chats(scan: &Scan) -> Result<Rows<CodyChat>> {
    let files = files(scan, scan.wants("is_secondary"))?;
    Ok(Box::new(files.flat_map(|file| {
        let rows = |found: Result<&Found, Source>| match found {
            Ok(found) => vec![chat_row(found, &file)],
            Err(source) => vec![CodyChat {
                project_path: file.project.clone(),
                product: file.store.product.clone(),
                store: Some(file.store.kind.word()),
                is_secondary: Some(false),
                source,
                ..CodyChat::default()
            }],
        };
        each(&file, rows)
    })))
}

/// What `rows` makes of every chat, and of what does not read.
fn each<R>(file: &LegacyFile, rows: impl Fn(Result<&Found, Source>) -> Vec<R>) -> Vec<R> {
    match &file.chats {
        Err(error) => rows(Err(file.store.failed(error.clone()))),
        Ok(chats) => {
            let found = chats.iter().map(|chat| chat.as_ref().map_err(|damage| damaged(file, damage)));
            found.flat_map(rows).collect()
        }
    }
}

/// The place of damage, with its error.
pub fn damaged(file: &LegacyFile, damage: &Damage) -> Source {
    file.store.source(damage.pointer.clone()).failed(damage.error.clone())
}

fn origin(file: &LegacyFile, chat: Option<&LegacyChat>, is_secondary: bool) -> Origin {
    let key = chat.and_then(|chat| chat.account.clone());
    let account = Account { key, ..Account::default() };
    Origin { is_secondary: Some(is_secondary), ..file.store.origin(&account) }
}

/// The time of a chat and what it is.
pub fn time(chat: &LegacyChat) -> Option<(Time, &'static str)> {
    chat.time().map(|(time, is_local)| (time, if is_local { "updated_at_local" } else { "updated_at" }))
}

/// Whose turn a message is.
pub fn turn(message: &LegacyMessage) -> Option<TurnType> {
    match message.speaker.as_deref()? {
        "HUMAN" => Some(TurnType::User),
        "ASSISTANT" => Some(TurnType::Assistant),
        _ => Some(TurnType::System),
    }
}

/// The rows of a chat's messages, then of what is missing behind them.
fn message_rows(found: &Found, file: &LegacyFile) -> Vec<CodyMessage> {
    let chat = &found.chat;
    let time = time(chat);
    let base = Message {
        agent: super::NAME,
        session_id: chat.session_id(),
        timestamp_utc: time.map(|(time, _)| time),
        timestamp_basis: time.map(|(_, basis)| basis),
        project_path: file.project.clone(),
        source: source(file, chat),
        ..Message::default()
    };
    let messages = chat.messages.iter().zip(&found.copied).enumerate();
    let said = messages.filter(|(_, (message, _))| message.text.is_some() || message.error.is_some());
    let row = |(position, (message, is_copied)): (usize, (&LegacyMessage, &bool))| {
        let turn = turn(message);
        let source = base.source.at(chat.message_pointer(position));
        let base = Message {
            message_index: i64::try_from(position).ok(),
            item_index: Some(0),
            turn_type: turn,
            kind: Some(if message.error.is_some() { MessageKind::Unknown } else { MessageKind::Text }),
            is_synthetic: Some(false),
            model: chat.model.clone().filter(|_| turn == Some(TurnType::Assistant)),
            text: message.text.clone().map(Text::Shared),
            source: match &message.error {
                Some(error) => source.failed(error.clone()),
                None => source,
            },
            ..base.clone()
        };
        With { base, extra: origin(file, Some(chat), *is_copied) }
    };
    let mut rows: Vec<_> = said.map(row).collect();
    rows.extend(chat.error.clone().map(|error| With {
        base: Message { source: base.source.clone().failed(error), ..base.clone() },
        extra: origin(file, Some(chat), false),
    }));
    rows
}

/// The place of a chat, with the first thing in it that does not read.
pub fn told(file: &LegacyFile, chat: &LegacyChat) -> Source {
    let source = source(file, chat);
    match chat.damage() {
        Some(damage) => source.failed(damage.error),
        None => source,
    }
}

/// The place of a chat.
pub fn source(file: &LegacyFile, chat: &LegacyChat) -> Source {
    Source::new(&file.store.place, chat.record()).at(chat.pointer.clone())
}

fn chat_row(found: &Found, file: &LegacyFile) -> CodyChat {
    let chat = &found.chat;
    let time = time(chat);
    let first = chat.messages.iter().find(|message| turn(message) == Some(TurnType::User));
    let models: Vec<&str> = chat.model.as_deref().into_iter().collect();
    let shared = |text: &Arc<str>| Text::Shared(Arc::clone(text));
    CodyChat {
        account_key: chat.account.clone(),
        session_id: chat.session_id(),
        created_at: time.map(|(time, _)| time),
        created_at_basis: time.map(|(_, basis)| basis),
        last_interaction_raw: chat.updated_at.as_ref().map(shared),
        message_count: i64::try_from(chat.messages.len()).ok(),
        models: Some(serde_json::Value::from(models).to_string().into()),
        project_path: file.project.clone(),
        first_prompt: first.and_then(|message| message.text.as_ref()).map(shared),
        era: Some("legacy_xml"),
        product: file.store.product.clone(),
        store: Some(file.store.kind.word()),
        is_secondary: Some(found.is_copied()),
        source: told(file, chat),
        ..CodyChat::default()
    }
}
