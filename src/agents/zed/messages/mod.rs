//! `zed_messages`: what was said, thought, called and returned.

mod text_thread;

use super::context::Context;
use super::stores::StoreKind;
use super::thread::item::{Content, Item};
use super::thread::mention;
use super::thread::message::{self, Speaker};
use super::walk::{self, MessageRows, Packing};
use crate::error::{Error, Result};
use crate::json::Document;
use crate::model::{Message, MessageKind, TurnType};
use crate::store::find::Found;
use crate::table::{Rows, Scan, Source, Table, Weight};
use crate::text::Text;
use crate::time::Time;
use std::collections::VecDeque;

pub static TABLE: Table<Message> = Table {
    name: "zed_messages",
    doc: "One row per content item of a message of Zed's own agent, and one per tool result: every generation of threads.db documents, and old text threads. Messages carry no time of their own.",
    weight: Weight::Documents,
    orders: &["timestamp_utc"],
    scan: rows,
};

/// Every message item that the scan asks for.
pub fn rows(scan: &Scan) -> Result<Rows<Message>> {
    walk::rows(scan, "timestamp_utc", &[StoreKind::ThreadsDb, StoreKind::TextThread], Messages::of(scan))
}

/// Which cells are built; the others cost nothing.
pub struct Messages {
    scan: Scan,
    with_id: bool,
    with_tool: bool,
    with_text: bool,
    with_uri: bool,
    with_raw: bool,
}

impl Messages {
    /// As the scan asks for them.
    pub fn of(scan: &Scan) -> Self {
        Self {
            scan: scan.clone(),
            with_id: scan.wants("message_id"),
            with_tool: scan.wants_any(&["tool_name", "tool_use_id"]),
            with_text: scan.wants("text"),
            // What a mention or a result does not say is told in `error`.
            with_uri: scan.wants_any(&["uri", "error"]),
            with_raw: scan.wants("raw"),
        }
    }

    /// Makes a row of the thread the one of this item.
    fn tell(&self, row: &mut Message, place: (usize, usize), message: &message::Message<'_>, item: &Item<'_>) {
        let (turn_type, kind) = named(message.speaker, &item.content);
        row.message_index = i64::try_from(place.0).ok();
        row.item_index = i64::try_from(place.1).ok();
        row.message_id = if self.with_id { message.id_text() } else { None };
        row.turn_type = turn_type;
        row.kind = kind;
        row.is_synthetic = turn_type.map(|_| message.is_synthetic || is_never_typed(&item.content));
        row.raw = self.with_raw.then(|| item.raw.verbatim());
        (row.tool_name, row.tool_use_id, row.is_error, row.text, row.uri) = (None, None, None, None, None);
        row.source.pointer = item.place.pointer(place.0);
        row.source.error = None;
        if let Some(error) = self.fill(row, &item.content) {
            row.source = std::mem::take(&mut row.source).failed(error);
        }
    }

    /// The cells that hold the item; what is wrong with it.
    fn fill(&self, row: &mut Message, content: &Content<'_>) -> Option<Error> {
        match content {
            Content::Text(text) | Content::Thinking(text) | Content::Context(text) | Content::Compaction(Some(text)) => {
                row.text = if self.with_text { text.text() } else { None };
            }
            Content::Image => row.text = Some(Text::Static("[image]")),
            Content::Resume => row.text = Some(Text::Static("Resume")),
            Content::Mention { uri, content } => {
                row.text = if self.with_text { content.and_then(|content| content.text()) } else { None };
                match uri.filter(|_| self.with_uri).map(mention::uri)? {
                    Ok(uri) => row.uri = Some(uri),
                    Err(error) => return Some(error),
                }
            }
            Content::Call(call) => {
                if self.with_tool {
                    row.tool_name = call.name.and_then(|name| name.text());
                    row.tool_use_id = call.id.and_then(|id| id.text());
                }
                row.text = if self.with_text { call.arguments() } else { None };
            }
            Content::Result(result) => {
                if self.with_tool {
                    row.tool_name = result.tool_name.and_then(|name| name.text());
                    row.tool_use_id = result.id_text();
                }
                row.is_error = result.is_error;
                let (text, error) = if self.with_text || self.with_uri { result.text() } else { (None, None) };
                row.text = text;
                return error;
            }
            Content::RedactedThinking | Content::Compaction(None) => {}
            Content::Unknown(error) | Content::Damaged(error) => return Some(error.clone()),
        }
        None
    }
}

impl MessageRows for Messages {
    type Row = Message;
    const HAS_HEADS: bool = true;
    const PACKS: bool = true;
    const SEARCHED: &'static [&'static str] = &["text"];

    fn message(
        &mut self,
        thread: &Context,
        index: usize,
        message: &Document,
        before: Option<&Document>,
        out: &mut VecDeque<Message>,
    ) {
        let message = message::read(message.root(), before.map(Document::root));
        out.extend(message.items.iter().enumerate().map(|(at, item)| {
            let mut row = shared(thread, thread.source.clone());
            self.tell(&mut row, (index, at), &message, item);
            row
        }));
    }

    fn pack(
        &mut self,
        row: &mut Message,
        index: usize,
        message: &Document,
        before: Option<&Document>,
        packing: &mut Packing,
    ) -> bool {
        let message = message::read(message.root(), before.map(Document::root));
        message.items.iter().enumerate().all(|(at, item)| {
            self.tell(row, (index, at), &message, item);
            packing.add(row)
        })
    }

    fn text_thread(&mut self, found: &Found<StoreKind>, time: Option<Time>, out: &mut VecDeque<Message>) {
        text_thread::rows(&self.scan, found, time, out);
    }

    fn failed(&mut self, thread: &Context, source: Source, raw: Option<Text>) -> Message {
        Message { raw, ..shared(thread, source) }
    }
}

/// The cells that all rows of a thread share.
fn shared(thread: &Context, source: Source) -> Message {
    Message {
        agent: super::NAME,
        session_id: thread.session_id.clone(),
        parent_session_id: thread.parent.clone(),
        timestamp_utc: thread.time,
        timestamp_basis: thread.time_basis(),
        project_path: thread.project.clone(),
        git_branch: thread.branch.clone(),
        model: thread.model.clone(),
        source,
        ..Message::default()
    }
}

/// `turn_type` and `kind`; both NULL for an item that did not decode.
fn named(speaker: Speaker, content: &Content<'_>) -> (Option<TurnType>, Option<MessageKind>) {
    let turn = match speaker {
        Speaker::User => TurnType::User,
        Speaker::Agent => TurnType::Assistant,
        Speaker::System => TurnType::System,
    };
    let (turn, kind) = match content {
        Content::Text(_) => (turn, MessageKind::Text),
        Content::Mention { .. } => (turn, MessageKind::Mention),
        Content::Image => (turn, MessageKind::Image),
        Content::Thinking(_) => (TurnType::Thinking, MessageKind::Thinking),
        Content::RedactedThinking => (TurnType::Thinking, MessageKind::RedactedThinking),
        Content::Call(_) => (TurnType::ToolUse, MessageKind::ToolUse),
        Content::Result(_) => (TurnType::ToolResult, MessageKind::ToolResult),
        Content::Resume => (TurnType::System, MessageKind::Resume),
        Content::Compaction(_) => (TurnType::System, MessageKind::Compaction),
        Content::Context(_) => (TurnType::User, MessageKind::Context),
        Content::Unknown(_) => (TurnType::System, MessageKind::Unknown),
        Content::Damaged(_) => return (None, None),
    };
    (Some(turn), Some(kind))
}

fn is_never_typed(content: &Content<'_>) -> bool {
    matches!(content, Content::Resume | Content::Context(_))
}
