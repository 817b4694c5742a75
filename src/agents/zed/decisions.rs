//! What threads tell about permissions, for `zed_permissions`: calls that were refused by the user, by a rule, by
//! stopping the turn (an approval leaves no trace), and behind them the thread's grants.

use super::call_rows::{self, CallRows, Found};
use super::calls::{Fields, outcome, tool};
use super::context::Context;
use super::grants;
use super::thread;
use crate::error::Result;
use crate::model::{Permission, PermissionKind};
use crate::table::{Rows, Scan, Source};
use std::collections::VecDeque;

/// Every refused call (unless only grants are asked for) and every grant that the scan asks for, and every thread that
/// cannot be read.
pub fn rows(scan: &Scan, with_decisions: bool) -> Result<Rows<Permission>> {
    call_rows::rows(scan, Decisions { with_decisions })
}

struct Decisions {
    with_decisions: bool,
}

fn empty(thread: &Context, source: Source) -> Permission {
    Permission {
        agent: super::NAME,
        session_id: thread.session_id.clone(),
        project_path: thread.project.clone(),
        timestamp_utc: thread.time,
        timestamp_basis: thread.time_basis(),
        source,
        ..Permission::default()
    }
}

impl CallRows for Decisions {
    type Row = Permission;
    const FIELDS: &'static [&'static str] = &["version", "profile", "sandbox_grants"];
    const ALL_FIELDS: &'static [&'static str] =
        &["version", "profile", "sandbox_grants", "model", "initial_project_snapshot", "subagent_context"];

    fn found(&mut self, thread: &Context, found: &Found<'_, '_>, out: &mut VecDeque<Permission>) {
        let (call, result) = (found.pair.call, found.pair.result);
        // Most calls are none, and told by this alone.
        if result.is_none_or(|result| result.is_error != Some(true)) {
            return;
        }
        let Some(refusal) = outcome(call, result, found.is_last).refusal else { return };
        let (message_index, item_index) = found.position();
        out.push_back(Permission {
            kind: Some(PermissionKind::Decision),
            decision: Some(refusal.decision.as_str()),
            reason: refusal.reason,
            tool_name: tool::stored_name(call, result).and_then(|name| name.text()),
            tool_use_id: call.and_then(|call| call.id?.text()).or_else(|| result?.id_text()),
            command: call.zip(tool::name(call, result)).and_then(|(call, tool)| tool::command(&tool, &Fields::of_call(call))),
            message_index,
            item_index,
            ..empty(thread, found.source(thread))
        });
    }

    fn wants_calls(&self) -> bool {
        self.with_decisions
    }

    fn end(&mut self, thread: &Context, fields: &thread::fields::Fields, out: &mut VecDeque<Permission>) {
        out.extend(grants::rows(thread, fields));
    }

    fn failed(&mut self, thread: &Context, source: Source) -> Permission {
        empty(thread, source)
    }
}
