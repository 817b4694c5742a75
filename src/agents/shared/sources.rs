//! `agent_sources`: which stores were found, and why there may be none.

use crate::error::Result;
use crate::model::Store;
use crate::table::{Rows, Scan, Table, Weight};

pub static TABLE: Table<Store> = Table {
    name: "agent_sources",
    doc: "One row per store that was looked for and found, and one per agent of which nothing was found. No rows elsewhere is never mistaken for no history.",
    weight: Weight::Metadata,
    orders: &[],
    scan,
};

fn scan(scan: &Scan) -> Result<Rows<Store>> {
    super::chain(scan, |agent, scan| agent.stores(scan))
}
