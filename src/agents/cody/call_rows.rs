//! From chats to the rows of tables that are made of tool calls.

use super::calls::{Call, Pairing};
use super::chat::{Chat, Head};
use super::origin::Origin;
use super::reading::{Failure, Needs, Reading, rows};
use super::transcript::event::ChatEnd;
use super::transcript::{Said, Turn};
use crate::error::Result;
use crate::model::ToolCall;
use crate::table::{Row, Rows, Scan, With};
use std::collections::VecDeque;
use std::sync::Arc;

/// What a table makes of calls.
pub struct CallRows<R> {
    /// The row of a call.
    pub of_call: fn(&Call) -> Option<R>,
    /// The row that a message of a turn gives beside its calls. What it shares with them stands in the last argument.
    pub of_message: fn(&Turn, &Said<'_>, &ToolCall) -> Option<R>,
    /// The row of what does not read: known keys, as those of a call.
    pub of_failure: fn(ToolCall) -> R,
}

/// The rows of every chat below the scan's root.
///
/// # Errors
/// The root does not exist.
pub fn scan<R: Row>(scan: &Scan, kind: CallRows<R>) -> Result<Rows<With<R, Origin>>> {
    let (low, high) = scan.integer_range("message_index");
    let needs = Needs {
        // A call's result is in the next message, and whether a result has a call is told by the one before.
        turns: Some((low.saturating_sub(1), high.saturating_add(1))),
        project: scan.wants("project_path"),
        time: scan.wants_any(&["timestamp_utc", "timestamp_basis"]),
        inputs: false,
    };
    rows(scan, needs, Calls { kind, pairing: Pairing::default(), last: None })
}

struct Calls<R> {
    kind: CallRows<R>,
    pairing: Pairing,
    /// The position of the turn seen last.
    last: Option<usize>,
}

impl<R> Calls<R> {
    fn give(&self, calls: Vec<Call>, origin: &Origin, rows: &mut VecDeque<With<R, Origin>>) {
        let made = calls.iter().filter_map(self.kind.of_call);
        rows.extend(made.map(|base| With { base, extra: origin.clone() }));
    }
}

/// What the rows of a message share.
pub fn shared(chat: &Chat, turn: &Turn, said: &Said<'_>) -> ToolCall {
    let time = chat.time_of(turn);
    ToolCall {
        agent: super::NAME,
        session_id: chat.id.clone(),
        message_index: Some(said.index),
        timestamp_utc: time.map(|(time, _)| time),
        timestamp_basis: time.map(|(_, basis)| basis),
        project_path: chat.project_path.clone(),
        model: said.value.get("model").and_then(|model| model.as_str()).map(Arc::from),
        source: chat.source(said.pointer(turn)),
        ..ToolCall::default()
    }
}

impl<R: Row> Reading for Calls<R> {
    type Row = With<R, Origin>;

    fn turn(&mut self, chat: &Arc<Chat>, turn: &Turn, rows: &mut VecDeque<Self::Row>) {
        let origin = chat.origin();
        for said in turn.messages() {
            let base = shared(chat, turn, &said);
            let calls = self.pairing.next(&said, &base);
            self.give(calls, &origin, rows);
            rows.extend((self.kind.of_message)(turn, &said, &base).map(|base| With { base, extra: origin.clone() }));
        }
        self.last = Some(turn.position);
    }

    fn end(&mut self, chat: &Arc<Chat>, _: &Head, end: &ChatEnd, rows: &mut VecDeque<Self::Row>) {
        // Turns that were not asked for may stand behind.
        let is_last = self.last.take().is_some_and(|last| last + 1 >= end.elements);
        let calls = self.pairing.end(is_last);
        self.give(calls, &chat.origin(), rows);
    }

    fn failed(&mut self, failure: Failure, rows: &mut VecDeque<Self::Row>) {
        let origin = failure.store.origin(&failure.account);
        // What the call before waits for may stand in the damage.
        let calls = self.pairing.end(false);
        self.give(calls, &origin, rows);
        let chat = failure.chat.as_ref();
        let time = chat.and_then(|chat| chat.created);
        let base = ToolCall {
            agent: super::NAME,
            session_id: chat.and_then(|chat| chat.id.clone()),
            message_index: failure.index,
            timestamp_utc: time.map(|(time, _)| time),
            timestamp_basis: time.map(|(_, basis)| basis),
            project_path: chat.and_then(|chat| chat.project_path.clone()),
            source: failure.source,
            ..ToolCall::default()
        };
        rows.push_back(With { base: (self.kind.of_failure)(base), extra: origin });
    }
}
