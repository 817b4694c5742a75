//! The agents whose history is read: where their stores are, what they mean, which tables they fill.
//!
//! A new agent is one folder here and one word in `agents!`.

mod needles;
mod shared;

use crate::error::Result;
use crate::model::{Edit, Message, ModelUse, Permission, Session, Store, TimelineEntry, TokenUsage, ToolCall};
use crate::table::{AnyTable, Function, Rows, Scan};

/// A program whose history is read. What an agent does not record stays at its default: no rows.
pub trait Agent: Sync {
    /// The word in the `agent` column.
    fn name(&self) -> &'static str;
    /// The agent's own tables, in the order of documentation.
    fn tables(&self) -> Vec<&'static dyn AnyTable>;
    /// Functions for those who attach a store themselves.
    fn functions(&self) -> &'static [Function] {
        &[]
    }
    /// Which stores are looked for, in words for somebody who has none.
    fn looked_for(&self) -> &'static str {
        "its stores"
    }
    /// Stores that were found.
    fn stores(&self, scan: &Scan) -> Result<Rows<Store>>;
    /// Message items.
    fn messages(&self, _scan: &Scan) -> Result<Rows<Message>> {
        none()
    }
    /// Tool calls with their results.
    fn tool_calls(&self, _scan: &Scan) -> Result<Rows<ToolCall>> {
        none()
    }
    /// Changes of files.
    fn edits(&self, _scan: &Scan) -> Result<Rows<Edit>> {
        none()
    }
    /// Grants, rules, trusted projects, decisions.
    fn permissions(&self, _scan: &Scan) -> Result<Rows<Permission>> {
        none()
    }
    /// Token usage.
    fn token_usage(&self, _scan: &Scan) -> Result<Rows<TokenUsage>> {
        none()
    }
    /// Sessions, those included whose transcript is elsewhere.
    fn sessions(&self, _scan: &Scan) -> Result<Rows<Session>> {
        none()
    }
    /// Models used and preferred.
    fn models(&self, _scan: &Scan) -> Result<Rows<ModelUse>> {
        none()
    }
    /// One line for everything the agent did.
    fn timeline(&self, _scan: &Scan) -> Result<Rows<TimelineEntry>> {
        none()
    }
}

fn none<R: 'static>() -> Result<Rows<R>> {
    Ok(Box::new(std::iter::empty()))
}

/// Names the agents: each is a module here with a static `AGENT`.
macro_rules! agents {
    ($($agent:ident),+ $(,)?) => {
        $( mod $agent; )+
        /// Every agent, in the order of documentation and of rows.
        pub const AGENTS: &[&'static dyn Agent] = &[ $( &$agent::AGENT ),+ ];
    };
}

agents! { zed, cody }

/// Every table, in the order of documentation: the agents' own, then those of all agents.
pub fn tables() -> Vec<&'static dyn AnyTable> {
    AGENTS.iter().flat_map(|agent| agent.tables()).chain(shared::tables()).collect()
}

/// The agents' functions.
pub fn functions() -> impl Iterator<Item = &'static Function> {
    AGENTS.iter().flat_map(|agent| agent.functions())
}
