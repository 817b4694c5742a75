//! Sourcegraph Cody: chats of every client, model preferences, settings.
//!
//! Read from the public snapshot of 2025-08-01 (VS Code extension 1.116.0) and its history; no real `state.vscdb` was seen.

mod accounts;
mod call_rows;
mod calls;
mod chat;
mod chats;
mod context;
mod decisions;
mod edits;
mod events;
mod index;
mod kept;
mod legacy;
mod legacy_rows;
mod legacy_store;
mod members;
mod messages;
mod model_prefs;
mod models;
mod open;
mod origin;
mod permissions;
mod prompts;
mod reading;
mod sessions;
mod settings;
mod sources;
mod standing;
mod store_scan;
mod stores;
mod timeline;
mod tool_calls;
mod transcript;
mod twins;
mod value;

use super::Agent;
use crate::error::Result;
use crate::model::{Edit, Message, ModelUse, Permission, Session, Store, TimelineEntry, ToolCall};
use crate::table::{AnyTable, Rows, Scan};

/// The word in the `agent` column.
const NAME: &str = "cody";

/// The agent.
pub static AGENT: Cody = Cody;

/// See the module.
pub struct Cody;

impl Agent for Cody {
    fn name(&self) -> &'static str {
        NAME
    }
    fn tables(&self) -> Vec<&'static dyn AnyTable> {
        vec![
            &messages::TABLE,
            &chats::TABLE,
            &context::TABLE,
            &tool_calls::TABLE,
            &edits::TABLE,
            &permissions::TABLE,
            &model_prefs::TABLE,
            &prompts::TABLE,
        ]
    }
    fn looked_for(&self) -> &'static str {
        sources::LOOKED_FOR
    }
    fn stores(&self, scan: &Scan) -> Result<Rows<Store>> {
        sources::rows(scan)
    }
    fn messages(&self, scan: &Scan) -> Result<Rows<Message>> {
        Ok(Box::new(messages::scan(scan)?.map(|row| row.base)))
    }
    fn tool_calls(&self, scan: &Scan) -> Result<Rows<ToolCall>> {
        Ok(Box::new(tool_calls::scan(scan)?.map(|row| row.base)))
    }
    fn edits(&self, scan: &Scan) -> Result<Rows<Edit>> {
        Ok(Box::new(edits::scan(scan)?.map(|row| row.base)))
    }
    fn permissions(&self, scan: &Scan) -> Result<Rows<Permission>> {
        Ok(Box::new(permissions::scan(scan)?.map(|row| row.base)))
    }
    fn sessions(&self, scan: &Scan) -> Result<Rows<Session>> {
        sessions::scan(scan)
    }
    fn models(&self, scan: &Scan) -> Result<Rows<ModelUse>> {
        models::scan(scan)
    }
    fn timeline(&self, scan: &Scan) -> Result<Rows<TimelineEntry>> {
        timeline::rows(scan)
    }
}
