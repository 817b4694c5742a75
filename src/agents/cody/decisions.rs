//! What the user answered when Deep Cody asked whether a command may run.

use super::call_rows::shared;
use super::calls::{Confirmation, ProcessStep};
use super::chat::Chat;
use super::origin::Origin;
use super::reading::{Failure, Needs, Reading, rows};
use super::transcript::items::{Item, items};
use super::transcript::{Said, Turn};
use crate::error::Result;
use crate::model::{MessageKind, Permission, PermissionKind, ToolCall};
use crate::table::{Rows, Scan, With};
use std::collections::VecDeque;
use std::sync::Arc;

/// The decisions in every chat below the scan's root.
///
/// # Errors
/// The root does not exist.
pub fn scan(scan: &Scan) -> Result<Rows<With<Permission, Origin>>> {
    let needs = Needs {
        turns: Some(scan.integer_range("message_index")),
        project: scan.wants("project_path"),
        time: scan.wants_any(&["timestamp_utc", "timestamp_basis"]),
        inputs: false,
    };
    rows(scan, needs, Decisions)
}

/// The confirmation that an item is.
pub fn confirmation<'t>(item: &Item<'t>, said: &Said<'t>) -> Option<Confirmation<'t>> {
    let step = ProcessStep::of(item.value);
    if item.kind == MessageKind::Confirmation { Confirmation::of(step, said.value) } else { None }
}

struct Decisions;

fn row(confirmation: &Confirmation<'_>, base: ToolCall) -> Permission {
    Permission {
        agent: base.agent,
        kind: Some(PermissionKind::Decision),
        decision: confirmation.decision(),
        reason: confirmation.reason(),
        tool_name: confirmation.step.title(),
        tool_use_id: confirmation.step.id(),
        command: confirmation.step.content(),
        session_id: base.session_id,
        message_index: base.message_index,
        item_index: base.item_index,
        project_path: base.project_path,
        timestamp_utc: base.timestamp_utc,
        timestamp_basis: base.timestamp_basis,
        source: base.source,
        ..Permission::default()
    }
}

impl Reading for Decisions {
    type Row = With<Permission, Origin>;

    fn turn(&mut self, chat: &Arc<Chat>, turn: &Turn, rows: &mut VecDeque<Self::Row>) {
        for said in turn.messages() {
            for (index, item) in (0..).zip(items(&said)) {
                let Some(confirmation) = confirmation(&item, &said) else { continue };
                let mut base = ToolCall { item_index: Some(index), ..shared(chat, turn, &said) };
                base.source = chat.source(item.place.pointer(&said.pointer(turn)));
                rows.push_back(With { base: row(&confirmation, base), extra: chat.origin() });
            }
        }
    }

    fn failed(&mut self, failure: Failure, rows: &mut VecDeque<Self::Row>) {
        let chat = failure.chat.as_ref();
        let time = chat.and_then(|chat| chat.created);
        let base = Permission {
            agent: super::NAME,
            session_id: chat.and_then(|chat| chat.id.clone()),
            message_index: failure.index,
            project_path: chat.and_then(|chat| chat.project_path.clone()),
            timestamp_utc: time.map(|(time, _)| time),
            timestamp_basis: time.map(|(_, basis)| basis),
            source: failure.source,
            ..Permission::default()
        };
        rows.push_back(With { base, extra: failure.store.origin(&failure.account) });
    }
}
