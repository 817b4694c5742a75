//! Zed, the code editor: its agent panel's threads, sidebar, drafts, settings.
//!
//! Read from source at Zed 1.18 development (2026-08-20) and older revisions; no real install was seen.

mod blob;
#[allow(dead_code, unused_imports, reason = "the tables that use it come with the reading of thread documents")]
mod calls;
mod context;
mod history;
mod messages;
mod panel;
mod permissions;
mod settings;
mod sources;
mod stores;
mod thread;
mod threads_db;
mod timeline;
mod walk;

use super::Agent;
use crate::error::Result;
use crate::model::{Message, Permission, Store, TimelineEntry};
use crate::table::{AnyTable, Rows, Scan};

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
        let mut tables: Vec<&'static dyn AnyTable> = vec![&messages::TABLE, &permissions::TABLE];
        tables.extend(panel::tables());
        tables
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
    fn timeline(&self, scan: &Scan) -> Result<Rows<TimelineEntry>> {
        timeline::rows(scan)
    }
    fn permissions(&self, scan: &Scan) -> Result<Rows<Permission>> {
        permissions::rows(scan)
    }
}
