//! Sourcegraph Cody: chats of every client, model preferences, settings.
//!
//! Read from the public snapshot of 2025-08-01 (VS Code extension 1.116.0) and its history; no real `state.vscdb` was seen.

mod calls;
mod legacy;
mod permissions;
mod settings;
mod sources;
mod standing;
mod stores;

use super::Agent;
use crate::error::Result;
use crate::model::{Permission, Store};
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
        vec![&permissions::TABLE]
    }
    fn stores(&self, scan: &Scan) -> Result<Rows<Store>> {
        sources::rows(scan)
    }
    fn permissions(&self, scan: &Scan) -> Result<Rows<Permission>> {
        permissions::rows(scan)
    }
}
