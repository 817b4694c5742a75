//! `cody_context`: what was attached to messages.

use super::chat::Chat;
use super::origin::Origin;
use super::reading::{Failure, Needs, Reading, rows};
use super::transcript::Turn;
use super::transcript::context::{Attached, Where, of_turn};
use crate::agents::needles::Needles;
use crate::error::{Error, Result};
use crate::json::{Kind, Value};
use crate::table::{Rows, Scan, Table, Weight, With};
use crate::text::Text;
use crate::time::Time;
use std::collections::VecDeque;
use std::sync::Arc;

crate::record! {
    /// One thing that was attached to a message.
    pub struct Context {
        /// The program whose history it is: `cody`.
        [key] agent: &'static str,
        /// The chat. Unique within account_key and source_path only. `=` and `IN` read only those chats.
        [key] session_id: Option<Arc<str>>,
        /// The message, as in cody_messages. What stood beside the messages before v1.8.1 belongs to the prompt.
        [range] message_index: Option<i64>,
        /// Position among the message's attachments, from 0.
        item_index: Option<i64>,
        /// Where it stands: `contextFiles` (on the message), `usedContextFiles` (on the interaction, before v1.8.1), `process` (in an agentic step) or `search` (a search result).
        r#where: Option<Where>,
        /// As stored: `file`, `symbol`, `openctx`, `repository`, `tree`, `media`, `tool-state`, …; `file` where it names none, as before 2023-11.
        r#type: Option<Text>,
        /// Why it was attached, as stored: `user` (mentioned), `initial`, `search`, `terminal`, `agentic`, …. NULL when not recorded.
        source_: Option<Text>,
        /// The URI in one string. NULL for a bare file name.
        uri: Option<Text>,
        /// The file's path, spelled as on the machine that holds it. NULL for what is no file.
        path: Option<Text>,
        /// The repository.
        repo: Option<Text>,
        /// The first line, from 0. NULL for a whole file.
        start_line: Option<i64>,
        /// The line behind the last, from 0. NULL for a whole file.
        end_line: Option<i64>,
        /// Size in tokens, as recorded.
        size: Option<i64>,
        /// The text that the model got; of media base64.
        [search] content: Option<Text>,
        /// The name that was shown, or by which the thing goes: a symbol's, a link's, a picture's. NULL for most files.
        title: Option<Text>,
        /// UTC, fixed width; timestamp_basis says what it really is.
        [range] timestamp_utc: Option<Time>,
        /// What timestamp_utc is: `chat_id`, `interaction`, `record`; `…_local` where the store names no zone and UTC is assumed.
        timestamp_basis: Option<&'static str>,
        /// The folder that the chat's context files share. NULL when unknown.
        project_path: Option<Arc<str>>,
        /// The item as stored, JSON text.
        raw: Option<Text>,
    }
}

/// Something that was attached in a Cody chat.
pub type CodyContext = With<Context, Origin>;

/// The table.
pub static TABLE: Table<CodyContext> = Table {
    name: "cody_context",
    doc: "One row per thing that was attached to a message in Cody's chats: files, selections, terminal output, tool outputs, search results, with their content as the model got it.",
    weight: Weight::Documents,
    orders: &[],
    scan,
};

/// The rows.
///
/// # Errors
/// The root does not exist.
pub fn scan(scan: &Scan) -> Result<Rows<CodyContext>> {
    let time = scan.wants_any(&["timestamp_utc", "timestamp_basis"]);
    let needs = Needs {
        turns: Some(scan.integer_range("message_index")),
        project: scan.wants("project_path"),
        time,
        inputs: false,
    };
    let wants = Wants { time, uri: scan.wants("uri"), path: scan.wants("path"), raw: scan.wants("raw") };
    rows(scan, needs, Contexts { wants, needles: Needles::of(scan, &["content"]) })
}

/// The columns that are not free.
#[derive(Debug, Clone, Copy)]
struct Wants {
    time: bool,
    uri: bool,
    path: bool,
    raw: bool,
}

struct Contexts {
    wants: Wants,
    needles: Needles,
}

impl Contexts {
    fn row(&self, chat: &Chat, turn: &Turn, attached: Attached<'_>, position: i64) -> CodyContext {
        let wants = self.wants;
        let text = |value: Option<Value<'_>>| value.map(|value| value.text().unwrap_or_else(|| value.compact()));
        let time = if wants.time { chat.time_of(turn) } else { None };
        let (start_line, end_line) = attached.lines().unwrap_or_default();
        let is_sound = matches!(attached.value.kind(), Kind::Object | Kind::String);
        let kind = text(attached.kind()).or(Some(Text::Static("file"))).filter(|_| is_sound);
        let is_found = attached.place == Where::Search;
        let mut source = chat.source(attached.pointer.clone());
        if !is_sound {
            source = source.failed(Error::shape(format!("an attachment is {}", attached.value.kind().described())));
        }
        let base = Context {
            agent: super::NAME,
            session_id: chat.id.clone(),
            message_index: Some(attached.index),
            item_index: Some(position),
            r#where: Some(attached.place),
            r#type: kind,
            source_: text(attached.get("source")).or(is_found.then_some(Text::Static("search"))),
            uri: if wants.uri { attached.uri().map(Text::from) } else { None },
            path: if wants.path { attached.path().map(Text::from) } else { None },
            repo: text(attached.repo()),
            start_line,
            end_line,
            size: attached.get("size").and_then(|size| size.as_i64()),
            content: text(attached.content()),
            title: text(attached.title()),
            timestamp_utc: time.map(|(time, _)| time),
            timestamp_basis: time.map(|(_, basis)| basis),
            project_path: chat.project_path.clone(),
            raw: wants.raw.then(|| attached.value.verbatim()),
            source,
        };
        With { base, extra: chat.origin() }
    }
}

impl Reading for Contexts {
    type Row = CodyContext;

    fn turn(&mut self, chat: &Arc<Chat>, turn: &Turn, rows: &mut VecDeque<CodyContext>) {
        let (mut message, mut position) = (None, 0);
        for attached in of_turn(turn) {
            position = if message == Some(attached.index) { position + 1 } else { 0 };
            message = Some(attached.index);
            let content = attached.content();
            let may_match = |content: Value<'_>| self.needles.may_be_in(content.bytes());
            if !self.needles.is_empty() && !content.is_some_and(may_match) {
                continue;
            }
            rows.push_back(self.row(chat, turn, attached, position));
        }
    }

    fn failed(&mut self, failure: Failure, rows: &mut VecDeque<CodyContext>) {
        let Failure { store, chat, account, index, source, raw } = failure;
        let base = Context {
            agent: super::NAME,
            session_id: chat.as_ref().and_then(|chat| chat.id.clone()),
            message_index: index,
            project_path: chat.as_ref().and_then(|chat| chat.project_path.clone()),
            raw,
            source,
            ..Context::default()
        };
        rows.push_back(With { base, extra: store.origin(&account) });
    }
}
