//! `agent_sources`: which stores were found, and why there may be none.

use crate::agents::{AGENTS, Agent};
use crate::error::Result;
use crate::model::{Store, StoreStatus};
use crate::store::find::searched;
use crate::table::{Place, Rows, Scan, Source, Table, Weight};
use std::path::Path;
use std::sync::Arc;

pub static TABLE: Table<Store> = Table {
    name: "agent_sources",
    doc: "One row per store that was looked for and found, and one per agent of which nothing was found. No rows elsewhere is never mistaken for no history.",
    weight: Weight::Metadata,
    orders: &[],
    scan,
};

fn scan(scan: &Scan) -> Result<Rows<Store>> {
    super::chain(scan, |agent, scan| {
        let mut found = agent.stores(scan)?.peekable();
        let is_told = found.peek().is_some() || is_file_of_another(agent, scan);
        Ok(Box::new((!is_told).then(|| nothing(agent, scan)).into_iter().chain(found)))
    })
}

/// A file is one agent's: that it is not another's says nothing.
fn is_file_of_another(agent: &dyn Agent, scan: &Scan) -> bool {
    let knows = |other: &&dyn Agent| other.stores(scan).is_ok_and(|mut found| found.next().is_some());
    let mut others = AGENTS.iter().filter(|other| other.name() != agent.name());
    scan.root.as_deref().is_some_and(|root| Path::new(root).is_file()) && others.any(knows)
}

/// The row of an agent of which nothing is there.
fn nothing(agent: &dyn Agent, scan: &Scan) -> Store {
    let place = Place { root: scan.root.clone(), path: searched(scan.root.as_ref()) };
    let number = AGENTS.iter().zip(1..).find(|(known, _)| known.name() == agent.name());
    Store {
        agent: agent.name(),
        path: place.path.clone(),
        status: Some(StoreStatus::Empty),
        hint: Some(format!("No store of this agent below it: looked for {}.", agent.looked_for()).into()),
        source: Source::new(&Arc::new(place), None).part(number.map_or(0, |(_, number)| number)),
        ..Store::default()
    }
}
