//! Tables over every agent: the agents' rows chained, and what is known about tables, stores and bad records.

pub mod ahead;
mod chains;
mod columns;
mod errors;
pub mod kept;
mod sources;

use super::{AGENTS, Agent};
use crate::error::Result;
use crate::store::find::{Places, find};
use crate::table::{AnyTable, Rows, Scan};

/// The tables over every agent.
pub fn tables() -> Vec<&'static dyn AnyTable> {
    vec![
        &chains::MESSAGES,
        &chains::TOOL_CALLS,
        &chains::EDITS,
        &chains::PERMISSIONS,
        &chains::TOKEN_USAGE,
        &chains::SESSIONS,
        &chains::MODELS,
        &chains::TIMELINE,
        &sources::TABLE,
        &errors::TABLE,
        &columns::TABLE,
    ]
}

/// A root is looked at where no agent has a store for it.
static NOWHERE: Places<()> = Places { home: &[], folder: &[] };

/// The rows of every agent that the statement asks for, one agent after the other. An agent's scan starts when the
/// one before has ended; the first starts at once, so that misuse is an SQL error.
fn chain<R: 'static>(scan: &Scan, rows: fn(&dyn Agent, &Scan) -> Result<Rows<R>>) -> Result<Rows<R>> {
    find(scan.root.as_ref(), &NOWHERE)?;
    let asked = scan.keys("agent");
    let mut agents =
        AGENTS.iter().filter(move |agent| asked.as_ref().is_none_or(|names| names.iter().any(|n| n == agent.name())));
    let Some(first) = agents.next() else { return Ok(Box::new(std::iter::empty())) };
    let first = rows(*first, scan)?;
    let scan = scan.clone();
    // Every agent takes the same roots, so a later one cannot fail where the first did not.
    Ok(Box::new(first.chain(agents.flat_map(move |agent| rows(*agent, &scan).into_iter().flatten()))))
}
