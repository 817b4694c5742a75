//! Cody's rows of `agent_models`: the models that answered, then those that are selected or default.

use super::chat::{Chat, Head};
use super::legacy_rows::{damaged, source, time, turn};
use super::legacy_store::{Found, LegacyFile, files};
use super::model_prefs::{self, ModelPref, PrefOrigin};
use super::reading::{Failure, Needs, Reading, rows};
use super::transcript::event::ChatEnd;
use super::transcript::{Role, Turn};
use super::twins::Twins;
use crate::error::Result;
use crate::model::{ModelEvent, ModelUse, TurnType};
use crate::store::paths;
use crate::table::{Rows, Scan};
use crate::text::Text;
use std::collections::VecDeque;
use std::sync::Arc;

/// The rows.
///
/// # Errors
/// The root does not exist.
pub fn scan(scan: &Scan) -> Result<Rows<ModelUse>> {
    let needs = Needs {
        turns: Some((0, i64::MAX)),
        project: scan.wants("project_path"),
        time: scan.wants_any(&["timestamp_utc", "timestamp_basis"]),
        inputs: false,
    };
    let chats = rows(scan, needs, Models::default())?;
    let used = chats.chain(files(scan, true)?.flat_map(|file| legacy_rows(&file)));
    // Preferences belong to no session.
    if scan.keys("session_id").is_some() {
        return Ok(Box::new(used));
    }
    let mut twins = Twins::default();
    let preferred = model_prefs::scan(scan)?.filter_map(move |pref| preference(pref, &mut twins));
    Ok(Box::new(used.chain(preferred)))
}

#[derive(Default)]
struct Models {
    /// The model that answered last in this chat.
    last: Option<Arc<str>>,
    twins: Twins,
}

/// What a build of 2024 wrote for messages whose model nobody had recorded.
const UNKNOWN: &str = "unknown";

impl Models {
    fn give(&mut self, chat: &Chat, row: ModelUse, rows: &mut VecDeque<ModelUse>) {
        let event = row.event.map(ModelEvent::as_str);
        let said = (&chat.account.key, &chat.id, event, &row.model, row.message_index);
        if self.twins.is_news(chat.store.kind.word(), &chat.store.place.path, said) {
            rows.push_back(row);
        }
    }
}

fn provider(model: &str) -> Option<Arc<str>> {
    model_prefs::split(model).0.map(Arc::from)
}

impl Reading for Models {
    type Row = ModelUse;

    fn turn(&mut self, chat: &Arc<Chat>, turn: &Turn, rows: &mut VecDeque<ModelUse>) {
        for said in turn.messages().filter(|said| said.role == Role::Assistant) {
            let Some(model) = said.value.get("model").and_then(|model| model.as_str()) else { continue };
            if model == UNKNOWN || self.last.as_deref() == Some(&*model) {
                continue;
            }
            let time = chat.time_of(turn);
            let model: Arc<str> = model.into();
            let previous = self.last.replace(Arc::clone(&model));
            let place = said.pointer(turn);
            let used = ModelUse {
                agent: super::NAME,
                session_id: chat.id.clone(),
                event: Some(ModelEvent::Used),
                provider: provider(&model),
                model: Some(model),
                message_index: Some(said.index),
                timestamp_utc: time.map(|(time, _)| time),
                timestamp_basis: time.map(|(_, basis)| basis),
                project_path: chat.project_path.clone(),
                source: chat.source(place.clone()),
                ..ModelUse::default()
            };
            if previous.is_some() {
                let event = Some(ModelEvent::Changed);
                let source = chat.source(place.join("model"));
                self.give(chat, ModelUse { event, previous_model: previous, source, ..used.clone() }, rows);
            }
            self.give(chat, used, rows);
        }
    }

    /// Before v1.32 a chat had one model; of messages that name none it is the one that answered.
    fn end(&mut self, chat: &Arc<Chat>, head: &Head, _: &ChatEnd, rows: &mut VecDeque<ModelUse>) {
        if self.last.take().is_some() {
            return;
        }
        let Some(model) = head.model() else { return };
        let created = head.created(chat.id.as_deref());
        let row = ModelUse {
            agent: super::NAME,
            session_id: chat.id.clone(),
            event: Some(ModelEvent::Used),
            provider: provider(&model.to_str()),
            model: Some(model.to_str().into()),
            timestamp_utc: created.map(|(time, _)| time),
            timestamp_basis: created.map(|(_, basis)| basis),
            project_path: chat.project_path.clone(),
            source: chat.source(chat.pointer.clone()),
            ..ModelUse::default()
        };
        self.give(chat, row, rows);
    }

    fn failed(&mut self, failure: Failure, rows: &mut VecDeque<ModelUse>) {
        let session_id = failure.chat.and_then(|chat| chat.id.clone());
        rows.push_back(ModelUse { agent: super::NAME, session_id, source: failure.source, ..ModelUse::default() });
    }
}

fn legacy_rows(file: &LegacyFile) -> Vec<ModelUse> {
    let failed = |source| ModelUse {
        agent: super::NAME,
        project_path: file.project.clone(),
        source,
        ..ModelUse::default()
    };
    match &file.chats {
        Err(error) => vec![failed(file.store.failed(error.clone()))],
        Ok(chats) => {
            let rows = |chat: &Result<Found, _>| match chat {
                Ok(found) => [legacy_row(found, file), cut_row(found, file)],
                Err(damage) => [Some(failed(damaged(file, damage))), None],
            };
            chats.iter().flat_map(rows).flatten().collect()
        }
    }
}

/// The model that a chat was set to, at its first answer. The agent's copy of a chat names it on its messages.
fn legacy_row(found: &Found, file: &LegacyFile) -> Option<ModelUse> {
    let chat = &found.chat;
    let model = chat.model.clone().filter(|_| !found.is_copied())?;
    let first = chat.messages.iter().position(|message| turn(message) == Some(TurnType::Assistant))?;
    let time = time(chat);
    Some(ModelUse {
        agent: super::NAME,
        session_id: chat.session_id(),
        event: Some(ModelEvent::Used),
        provider: provider(&model),
        model: Some(model),
        message_index: i64::try_from(first).ok(),
        timestamp_utc: time.map(|(time, _)| time),
        timestamp_basis: time.map(|(_, basis)| basis),
        project_path: file.project.clone(),
        source: source(file, chat).at(chat.message_pointer(first)),
        ..ModelUse::default()
    })
}

/// Tells that a chat's model, or whether it answered, may stand in what is missing.
fn cut_row(found: &Found, file: &LegacyFile) -> Option<ModelUse> {
    let chat = &found.chat;
    let source = source(file, chat).failed(chat.error.clone()?);
    Some(ModelUse {
        agent: super::NAME,
        session_id: chat.session_id(),
        project_path: file.project.clone(),
        source,
        ..ModelUse::default()
    })
}

fn preference(pref: ModelPref, twins: &mut Twins) -> Option<ModelUse> {
    if pref.is_of_store() {
        // The rows of the store's chats tell of it.
        return None;
    }
    let shared = |text: Option<Text>| text.map(|text| Arc::<str>::from(text.to_str()));
    let model = shared(pref.model.clone());
    let event = match pref.origin {
        Some(PrefOrigin::Selected) => Some(ModelEvent::Selected),
        Some(PrefOrigin::Defaults) => Some(ModelEvent::Default),
        Some(PrefOrigin::Legacy) => Some(if is_default(&pref) { ModelEvent::Default } else { ModelEvent::Selected }),
        None => None,
    };
    let path = pref.source.path();
    let said = (shared(pref.endpoint.clone()), shared(pref.usage.clone()), event.map(ModelEvent::as_str), &model);
    let is_news = pref.source.error.is_some() || twins.is_news(pref.store.unwrap_or_default(), path, said);
    is_news.then(|| ModelUse {
        agent: super::NAME,
        event,
        model,
        provider: shared(pref.provider),
        endpoint: shared(pref.endpoint),
        usage: shared(pref.usage),
        timestamp_utc: pref.timestamp_utc,
        timestamp_basis: pref.timestamp_basis,
        source: pref.source,
        ..ModelUse::default()
    })
}

/// The plain keys of one fortnight tell the server's defaults by their name: `defaultChatModel`.
fn is_default(pref: &ModelPref) -> bool {
    let place = pref.source.pointer.to_string();
    let key = place.strip_prefix('/').or_else(|| paths::name(pref.source.path()));
    key.is_some_and(|key| key.starts_with("default"))
}
