//! `zed_tool_calls`: what the model called, and what came back.

use super::call_rows::{self, CallRows, Found};
use super::calls::{Fields, child_session, outcome, tool};
use super::context::Context;
use crate::error::Result;
use crate::model::ToolCall;
use crate::table::{Rows, Scan, Source, Table, Weight};
use std::collections::VecDeque;

pub static TABLE: Table<ToolCall> = Table {
    name: "zed_tool_calls",
    doc: "One row per tool call of Zed's own agent with its result beside it. A call without a result, and a result without a call, are rows. The stores keep no exit code and no decision: both are read from what the model was told.",
    weight: Weight::Documents,
    orders: &["timestamp_utc"],
    scan: rows,
};

/// Every call that the scan asks for.
pub fn rows(scan: &Scan) -> Result<Rows<ToolCall>> {
    call_rows::rows(scan, ToolCalls::of(scan))
}

/// Which cells are built; the others cost nothing.
struct ToolCalls {
    with_arguments: bool,
    with_fields: bool,
    with_result: bool,
    with_outcome: bool,
    with_child: bool,
}

impl ToolCalls {
    fn of(scan: &Scan) -> Self {
        let outcome = ["status", "status_basis", "exit_code", "decision", "decision_reason"];
        Self {
            with_arguments: scan.wants("arguments"),
            with_fields: scan.wants_any(&["command", "cwd", "path"]),
            // What a result does not say is told in `error`.
            with_result: scan.wants_any(&["result", "error"]),
            with_outcome: scan.wants_any(&outcome),
            with_child: scan.wants("child_session_id"),
        }
    }

    fn row(&self, thread: &Context, found: &Found<'_, '_>) -> ToolCall {
        let (call, result) = (found.pair.call, found.pair.result);
        let name = tool::stored_name(call, result);
        let mut row = ToolCall {
            tool_use_id: call.and_then(|call| call.id?.text()).or_else(|| result?.id_text()),
            tool_name: name.and_then(|name| name.text()),
            arguments: call.filter(|_| self.with_arguments).and_then(|call| call.arguments()),
            arguments_complete: call.map(|call| call.is_complete),
            output: result.and_then(|result| result.output).filter(|output| !output.is_null()).map(|output| output.compact()),
            ..shared(thread, found)
        };
        if let (Some(call), Some(tool), true) = (call, tool::name(call, result), self.with_fields) {
            let fields = Fields::of_call(call);
            row.command = tool::command(&tool, &fields);
            row.cwd = tool::working_directory(&tool, &fields);
            row.path = tool::path(&tool, &fields);
        }
        if let (Some(result), true) = (result, self.with_result) {
            let (text, error) = result.text();
            row.result = text;
            if let Some(error) = error {
                row.source = row.source.failed(error);
            }
        }
        if self.with_outcome && found.pair.error.is_none() {
            let outcome = outcome(call, result, found.is_last);
            row.status = Some(outcome.status);
            row.status_basis = Some(outcome.basis);
            row.exit_code = outcome.exit_code;
            row.decision = outcome.refusal.as_ref().map(|refusal| refusal.decision.as_str());
            row.decision_reason = outcome.refusal.and_then(|refusal| refusal.reason);
        }
        if self.with_child {
            row.child_session_id = child_session(call, result);
        }
        row
    }
}

/// What every row of a thread shares.
fn shared(thread: &Context, found: &Found<'_, '_>) -> ToolCall {
    let (message_index, item_index) = found.position();
    ToolCall { message_index, item_index, ..empty(thread, found.source(thread)) }
}

fn empty(thread: &Context, source: Source) -> ToolCall {
    ToolCall {
        agent: super::NAME,
        session_id: thread.session_id.clone(),
        timestamp_utc: thread.time,
        timestamp_basis: thread.time_basis(),
        project_path: thread.project.clone(),
        model: thread.model.clone(),
        source,
        ..ToolCall::default()
    }
}

impl CallRows for ToolCalls {
    type Row = ToolCall;
    const SEARCHED: &'static [&'static str] = &["result"];

    fn found(&mut self, thread: &Context, found: &Found<'_, '_>, out: &mut VecDeque<ToolCall>) {
        out.push_back(self.row(thread, found));
    }

    fn failed(&mut self, thread: &Context, source: Source) -> ToolCall {
        empty(thread, source)
    }
}
