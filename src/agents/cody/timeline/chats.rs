//! The lines of chats: their messages, models, decisions, damage.

use super::{line, unreadable};
use crate::agents::cody::calls::Confirmation;
use crate::agents::cody::chat::{Chat, Head};
use crate::agents::cody::decisions::confirmation;
use crate::agents::cody::messages::{CodyMessage, Messages};
use crate::agents::cody::reading::{Failure, Needs, Reading, rows};
use crate::agents::cody::transcript::event::ChatEnd;
use crate::agents::cody::transcript::items::items;
use crate::agents::cody::transcript::{Role, Said, Turn};
use crate::agents::cody::twins::Twins;
use crate::error::Result;
use crate::model::{Message, MessageKind, TimelineEntry, TurnType};
use crate::table::{Rows, Scan, With};
use crate::text::Text;
use std::collections::VecDeque;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// The lines of every chat.
///
/// # Errors
/// The root does not exist.
pub fn lines(scan: &Scan) -> Result<Rows<TimelineEntry>> {
    let needs = Needs {
        turns: Some((0, i64::MAX)),
        project: scan.wants("project_path"),
        time: scan.wants_any(&["timestamp_utc", "timestamp_basis"]),
        inputs: false,
    };
    rows(scan, needs, Lines { messages: Messages::whole(), model: None, twins: Twins::default() })
}

struct Lines {
    messages: Messages,
    /// The model that answered last in this chat.
    model: Option<Arc<str>>,
    twins: Twins,
}

impl Lines {
    /// The line of an answer by another model than the one before.
    fn model_line(&mut self, chat: &Chat, turn: &Turn, said: &Said<'_>) -> Option<TimelineEntry> {
        let model = said.value.get("model").filter(|_| said.role == Role::Assistant)?.as_str()?;
        if self.model.as_deref() == Some(&*model) {
            return None;
        }
        let text = match &self.model {
            None => format!("model: {model}"),
            Some(before) => format!("model: {before} -> {model}"),
        };
        let time = chat.time_of(turn);
        self.model = Some(model.into());
        Some(TimelineEntry {
            timestamp_utc: time.map(|(time, _)| time),
            timestamp_basis: time.map(|(_, basis)| basis),
            session_id: chat.id.clone(),
            project_path: chat.project_path.clone(),
            model: self.model.clone(),
            ..line(chat.source(said.pointer(turn).join("model")), text)
        })
    }

    fn give(&mut self, chat: &Chat, entry: TimelineEntry, rows: &mut VecDeque<TimelineEntry>) {
        let store = &chat.store;
        if self.twins.is_news(store.kind.word(), &store.place.path, Line(chat, &entry)) {
            rows.push_back(entry);
        }
    }
}

/// What makes a line of a store and one of its backup the same. The text is decoded when the hash is asked for.
struct Line<'e>(&'e Chat, &'e TimelineEntry);

impl Hash for Line<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let Self(chat, entry) = self;
        (&chat.account.key, &chat.id, entry.turn_type).hash(state);
        entry.text.as_ref().map(Text::to_str).hash(state);
    }
}

/// The line of a message's part.
fn entry(message: Message, text: Option<Text>) -> TimelineEntry {
    TimelineEntry {
        timestamp_utc: message.timestamp_utc,
        timestamp_basis: message.timestamp_basis,
        agent: message.agent,
        session_id: message.session_id,
        project_path: message.project_path,
        git_branch: message.git_branch,
        turn_type: message.turn_type,
        kind: message.kind,
        model: message.model,
        tool_name: message.tool_name,
        tool_use_id: message.tool_use_id,
        text,
        source_line: Some(1),
        source: message.source,
    }
}

/// The line of a confirmation; `None` for every other part.
fn decision(said: &Said<'_>, message: &Message) -> Option<Text> {
    let index = message.item_index.filter(|_| message.kind == Some(MessageKind::Confirmation))?;
    let item = items(said).into_iter().nth(usize::try_from(index).ok()?)?;
    Some(decision_text(&confirmation(&item, said)?).into())
}

/// `permission decision: …`, with what was asked for on the lines behind.
fn decision_text(asked: &Confirmation<'_>) -> String {
    let decision = asked.decision().map(|decision| format!("{} ", decision.replace('_', " "))).unwrap_or_default();
    let step = asked.step;
    let state = step.state().unwrap_or_default();
    let named = |name: &str, value: Option<Text>| value.map(|value| format!(" {name}={value}")).unwrap_or_default();
    let mut text = format!("permission decision: {decision}confirmation state={state}");
    text += &named("error", step.error_message());
    text += &named("title", step.title().filter(|_| asked.decision().is_some()));
    for part in [step.description(), step.content()].into_iter().flatten() {
        text.push('\n');
        part.write_to(&mut text);
    }
    text
}

/// `parser: unparseable record <N> (<reason>): <record>`: N counts the elements of the chat's list from 1.
fn damage_text(message: &Message, number: Option<usize>) -> Option<String> {
    let error = message.source.error.as_ref()?;
    let Some(number) = number else { return Some(unreadable(error)) };
    let record = message.raw.as_ref().map(|raw| format!(": {raw}")).unwrap_or_default();
    Some(format!("parser: unparseable record {number} ({}){record}", error.what()))
}

impl Reading for Lines {
    type Row = TimelineEntry;

    fn turn(&mut self, chat: &Arc<Chat>, turn: &Turn, rows: &mut VecDeque<TimelineEntry>) {
        let mut messages = VecDeque::new();
        self.messages.turn(chat, turn, &mut messages);
        for said in turn.messages() {
            if let Some(entry) = self.model_line(chat, turn, &said) {
                self.give(chat, entry, rows);
            }
            while messages.front().is_some_and(|row| is_of(row, &said)) {
                let Some(With { base: message, .. }) = messages.pop_front() else { break };
                let text = damage_text(&message, Some(turn.position + 1)).map(Text::from);
                let text = text.or_else(|| decision(&said, &message)).or_else(|| message.text.clone());
                self.give(chat, entry(message, text), rows);
            }
        }
    }

    fn end(&mut self, chat: &Arc<Chat>, head: &Head, end: &ChatEnd, _: &mut VecDeque<TimelineEntry>) {
        self.messages.end(chat, head, end, &mut VecDeque::new());
        self.model = None;
    }

    fn failed(&mut self, failure: Failure, rows: &mut VecDeque<TimelineEntry>) {
        let place = failure.source.pointer.to_string();
        let position = place.rsplit('/').next().and_then(|position| position.parse::<usize>().ok());
        let number = position.filter(|_| failure.index.is_some()).map(|position| position + 1);
        let mut messages = VecDeque::new();
        self.messages.failed(failure, &mut messages);
        rows.extend(messages.into_iter().map(|With { base: message, .. }| {
            let text = damage_text(&message, number).map(Text::from);
            let kind = message.kind.or(Some(MessageKind::Unknown)).filter(|_| number.is_some());
            TimelineEntry { turn_type: Some(TurnType::System), kind, ..entry(message, text) }
        }));
    }
}

fn is_of(row: &CodyMessage, said: &Said<'_>) -> bool {
    row.base.message_index == Some(said.index)
}
