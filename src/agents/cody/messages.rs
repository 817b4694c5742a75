//! `cody_messages`: what was said, message by message.

use super::chat::Chat;
use super::events::Filter;
use super::kept::{Asked, Packing};
use super::legacy_rows;
use super::origin::Origin;
use super::reading::{Failure, Needs, Reading, rows};
use super::transcript::items::{Item, Words, calls, items};
use super::transcript::{Said, Turn};
use crate::agents::needles::Needles;
use crate::error::{Kind, Result};
use crate::model::{Message, MessageKind, TurnType};
use crate::table::{Extra as _, Rows, Scan, Table, Weight, With};
use crate::text::Text;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

/// A message part of Cody's.
pub type CodyMessage = With<Message, Origin>;

/// The table.
pub static TABLE: Table<CodyMessage> = Table {
    name: "cody_messages",
    doc: "One row per message part in Cody's chats: text, tool call, tool result, step, confirmation, search, error. A chat's id is unique within account_key and source_path only.",
    weight: Weight::Documents,
    orders: &[],
    scan,
};

/// The rows.
///
/// # Errors
/// The root does not exist.
pub fn scan(scan: &Scan) -> Result<Rows<CodyMessage>> {
    let wants = Wants::of(|column| scan.wants(column));
    let needs = Needs {
        turns: Some(scan.integer_range("message_index")),
        project: scan.wants("project_path"),
        time: scan.wants_any(&["timestamp_utc", "timestamp_basis"]),
        inputs: false,
    };
    let legacy = legacy_rows::messages(scan)?;
    let messages = Messages { wants, needles: Needles::of(scan, &["text"]), names: HashMap::new() };
    Ok(Box::new(rows(scan, needs, messages)?.chain(legacy)))
}

/// The columns that are not free.
#[derive(Debug, Clone, Copy)]
struct Wants {
    time: bool,
    text: bool,
    raw: bool,
    model: bool,
    tool_name: bool,
    tool_use_id: bool,
    uri: bool,
    /// Any of the columns behind the shared ones.
    origin: bool,
}

impl Wants {
    fn of(is_wanted: impl Fn(&str) -> bool) -> Self {
        Self {
            time: is_wanted("timestamp_utc") || is_wanted("timestamp_basis"),
            text: is_wanted("text"),
            raw: is_wanted("raw"),
            model: is_wanted("model"),
            tool_name: is_wanted("tool_name"),
            tool_use_id: is_wanted("tool_use_id"),
            uri: is_wanted("uri"),
            origin: Origin::COLUMNS.iter().any(|column| is_wanted(column.name)),
        }
    }
}

/// What the table makes of chats.
pub struct Messages {
    wants: Wants,
    needles: Needles,
    /// The calls of the message before, by id: a result names its tool by that alone.
    names: HashMap<String, Text>,
}

impl Messages {
    /// With every column.
    pub fn whole() -> Self {
        Self { wants: Wants::of(|_| true), needles: Needles::default(), names: HashMap::new() }
    }

    fn message(&self, chat: &Chat, turn: &Turn, said: &Said<'_>, rows: &mut VecDeque<CodyMessage>) {
        let wants = self.wants;
        let model = || said.value.get("model")?.as_str().map(Arc::from);
        let model = if wants.model { model() } else { None };
        let time = if wants.time { chat.time_of(turn) } else { None };
        let pointer = said.pointer(turn);
        for (position, item) in (0..).zip(items(said)).filter(|(_, item)| self.may_match(item)) {
            let mut source = chat.source(item.place.pointer(&pointer));
            if let Some(error) = item.error.clone() {
                source = source.failed(error);
            }
            let base = Message {
                agent: super::NAME,
                session_id: chat.id.clone(),
                message_index: Some(said.index),
                item_index: Some(position),
                turn_type: Some(item.turn),
                kind: Some(item.kind),
                is_synthetic: Some(item.is_synthetic),
                timestamp_utc: time.map(|(time, _)| time),
                timestamp_basis: time.map(|(_, basis)| basis),
                project_path: chat.project_path.clone(),
                model: Option::clone(&model),
                tool_name: if wants.tool_name { self.tool_name(&item) } else { None },
                tool_use_id: item.tool_use_id.filter(|_| wants.tool_use_id).and_then(|id| id.text()),
                text: item.text.filter(|_| wants.text).and_then(Words::text),
                uri: item.uri.filter(|_| wants.uri).and_then(|uri| uri.text()),
                raw: wants.raw.then(|| item.value.verbatim()),
                source,
                ..Message::default()
            };
            let extra = if wants.origin { chat.origin() } else { Origin::default() };
            rows.push_back(With { base, extra });
        }
    }

    /// May the text be what a LIKE asks for? Looked for as it is spelled: most are never unescaped.
    fn may_match(&self, item: &Item<'_>) -> bool {
        self.needles.is_empty()
            || match item.text {
                Some(Words::Of(value)) => self.needles.may_be_in(value.bytes()),
                Some(Words::Image) => true,
                None => false,
            }
    }

    fn tool_name(&self, item: &Item<'_>) -> Option<Text> {
        if item.kind == MessageKind::ToolResult {
            return self.names.get(&*item.tool_use_id?.as_str()?).cloned();
        }
        item.tool_name.and_then(|name| name.text())
    }

    /// Remembers the calls of a turn. Owned texts, so that the turn can go.
    fn remember(&mut self, turn: &Turn) {
        self.names.clear();
        let named = calls(turn).filter_map(|(id, name)| Some((id.as_str()?.into_owned(), Text::from(name.as_str()?))));
        self.names.extend(named);
    }
}

impl Reading for Messages {
    type Row = CodyMessage;

    fn asked(filter: &Filter) -> Asked {
        Asked::of::<CodyMessage>(filter)
    }

    fn pack(packing: &mut Packing, row: &CodyMessage) -> bool {
        packing.add(row)
    }

    fn turn(&mut self, chat: &Arc<Chat>, turn: &Turn, rows: &mut VecDeque<CodyMessage>) {
        for said in turn.messages() {
            self.message(chat, turn, &said, rows);
        }
        if self.wants.tool_name {
            self.remember(turn);
        }
    }

    fn end(&mut self, _: &Arc<Chat>, _: &super::chat::Head, _: &super::transcript::event::ChatEnd, _: &mut VecDeque<CodyMessage>) {
        self.names.clear();
    }

    fn failed(&mut self, failure: Failure, rows: &mut VecDeque<CodyMessage>) {
        let Failure { store, chat, account, index, source, raw } = failure;
        let time = chat.as_ref().and_then(|chat| chat.created);
        // JSON of another shape; what is no JSON has no kind.
        let is_shape = source.error.as_ref().is_some_and(|error| error.kind() == Kind::Shape);
        let is_unknown = is_shape && index.is_some();
        let base = Message {
            agent: super::NAME,
            session_id: chat.as_ref().and_then(|chat| chat.id.clone()),
            message_index: index,
            turn_type: is_unknown.then_some(TurnType::System),
            kind: is_unknown.then_some(MessageKind::Unknown),
            timestamp_utc: time.map(|(time, _)| time),
            timestamp_basis: time.map(|(_, basis)| basis),
            project_path: chat.as_ref().and_then(|chat| chat.project_path.clone()),
            raw,
            source,
            ..Message::default()
        };
        rows.push_back(With { base, extra: store.origin(&account) });
    }
}
