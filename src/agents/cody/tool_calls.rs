//! `cody_tool_calls`: which tools ran, on what, and how it ended.

use super::call_rows::{self, CallRows};
use super::origin::Origin;
use crate::error::Result;
use crate::model::ToolCall;
use crate::table::{Rows, Scan, Table, Weight, With};

/// The table.
pub static TABLE: Table<With<ToolCall, Origin>> = Table {
    name: "cody_tool_calls",
    doc: "One row per tool call in Cody's chats with its result beside it: calls of the agentic chat, and the tools that Deep Cody ran. How a call ended is told by what it left behind, as the stored state words do not tell.",
    weight: Weight::Documents,
    orders: &[],
    scan,
};

/// The rows.
///
/// # Errors
/// The root does not exist.
pub fn scan(scan: &Scan) -> Result<Rows<With<ToolCall, Origin>>> {
    let kind = CallRows { of_call: |call| Some(call.row.clone()), of_message: |_, _, _| None, of_failure: |base| base };
    call_rows::scan(scan, kind)
}
