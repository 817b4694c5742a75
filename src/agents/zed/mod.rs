//! Zed, the code editor: its agent panel's threads, sidebar, drafts, settings.
//!
//! Read from source at Zed 1.18 development (2026-08-20) and older revisions; no real install was seen.

mod blob;
mod call_rows;
mod calls;
mod context;
mod decisions;
mod drafts;
mod edits;
mod grants;
mod history;
mod messages;
mod models;
mod panel;
mod permissions;
mod sessions;
mod settings;
mod sources;
mod stores;
mod text_threads;
mod thread;
mod threads;
mod threads_db;
mod timeline;
mod token_usage;
mod tool_calls;
mod walk;

use super::Agent;
use crate::error::Result;
use crate::model::{Edit, Message, ModelUse, Permission, Session, Store, TimelineEntry, TokenUsage, ToolCall};
use crate::table::{AnyTable, Function, Rows, Scan};

/// The word in the `agent` column.
const NAME: &str = "zed";

/// The agent.
pub static AGENT: Zed = Zed;

/// See the module.
pub struct Zed;

impl Agent for Zed {
    fn name(&self) -> &'static str {
        NAME
    }
    fn tables(&self) -> Vec<&'static dyn AnyTable> {
let mut tables: Vec<&'static dyn AnyTable> = vec![
            &messages::TABLE,
            &threads::TABLE,
            &tool_calls::TABLE,
            &edits::TABLE,
            &token_usage::TABLE,
            &permissions::TABLE,
            &drafts::TABLE,
        ];
        tables.extend(panel::tables());
        tables
    }
    fn functions(&self) -> &'static [Function] {
        blob::FUNCTIONS
    }
    fn looked_for(&self) -> &'static str {
        sources::LOOKED_FOR
    }
    fn stores(&self, scan: &Scan) -> Result<Rows<Store>> {
        sources::rows(scan)
    }
    fn messages(&self, scan: &Scan) -> Result<Rows<Message>> {
        messages::rows(scan)
    }
    fn tool_calls(&self, scan: &Scan) -> Result<Rows<ToolCall>> {
        tool_calls::rows(scan)
    }
    fn edits(&self, scan: &Scan) -> Result<Rows<Edit>> {
        edits::rows(scan)
    }
    fn token_usage(&self, scan: &Scan) -> Result<Rows<TokenUsage>> {
        token_usage::rows(scan)
    }
    fn permissions(&self, scan: &Scan) -> Result<Rows<Permission>> {
        permissions::rows(scan)
    }
    fn sessions(&self, scan: &Scan) -> Result<Rows<Session>> {
        sessions::rows(scan)
    }
    fn models(&self, scan: &Scan) -> Result<Rows<ModelUse>> {
        models::rows(scan)
    }
    fn timeline(&self, scan: &Scan) -> Result<Rows<TimelineEntry>> {
        timeline::rows(scan)
    }
}
