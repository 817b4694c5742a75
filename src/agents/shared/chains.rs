//! The agents' rows, one agent after the other, a table per row kind.
//!
//! No table claims an order: rows come in each agent's own, and two agents' rows cannot be merged without reading all.

use super::chain;
use crate::model::{Edit, Message, ModelUse, Permission, Session, TimelineEntry, TokenUsage, ToolCall};
use crate::table::{Table, Weight};

pub static MESSAGES: Table<Message> = Table {
    name: "agent_messages",
    doc: "One row per content item of a message, and one per tool result, of every agent.",
    weight: Weight::Documents,
    orders: &[],
    scan: |scan| chain(scan, |agent, scan| agent.messages(scan)),
};

pub static TOOL_CALLS: Table<ToolCall> = Table {
    name: "agent_tool_calls",
    doc: "One row per tool call with its result beside it, of every agent.",
    weight: Weight::Documents,
    orders: &[],
    scan: |scan| chain(scan, |agent, scan| agent.tool_calls(scan)),
};

pub static EDITS: Table<Edit> = Table {
    name: "agent_edits",
    doc: "One row per file change that a history records, of every agent.",
    weight: Weight::Documents,
    orders: &[],
    scan: |scan| chain(scan, |agent, scan| agent.edits(scan)),
};

pub static PERMISSIONS: Table<Permission> = Table {
    name: "agent_permissions",
    doc: "One row per grant, standing rule, trusted project or decision about a call, of every agent.",
    weight: Weight::Documents,
    orders: &[],
    scan: |scan| chain(scan, |agent, scan| agent.permissions(scan)),
};

pub static TOKEN_USAGE: Table<TokenUsage> = Table {
    name: "agent_token_usage",
    doc: "One row per recorded usage figure, of every agent that records any. Sum the rows with is_best to count nothing twice.",
    weight: Weight::Documents,
    orders: &[],
    scan: |scan| chain(scan, |agent, scan| agent.token_usage(scan)),
};

pub static SESSIONS: Table<Session> = Table {
    name: "agent_sessions",
    doc: "One row per session, of every agent: threads and chats, and entries whose transcript is elsewhere or lost.",
    weight: Weight::Metadata,
    orders: &[],
    scan: |scan| chain(scan, |agent, scan| agent.sessions(scan)),
};

pub static MODELS: Table<ModelUse> = Table {
    name: "agent_models",
    doc: "One row per model that a session used or changed to, and per preference that selects or defaults to one.",
    weight: Weight::Documents,
    orders: &[],
    scan: |scan| chain(scan, |agent, scan| agent.models(scan)),
};

pub static TIMELINE: Table<TimelineEntry> = Table {
    name: "agent_timeline",
    doc: "One line for everything that agents did, were allowed or left behind, and for every record that did not decode. Not sorted by time: many lines have only their session's.",
    weight: Weight::Documents,
    orders: &[],
    scan: |scan| chain(scan, |agent, scan| agent.timeline(scan)),
};
