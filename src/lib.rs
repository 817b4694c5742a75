//! The local history of AI coding agents as SQLite tables.
//!
//! Load the library into SQLite and ask with plain SQL; every table reads the agents' own stores, lazily and
//! read-only. `agent_columns` documents every column, `agent_sources` tells which stores were found.
//!
//! From Rust, take the crate with `default-features = false, features = ["bundled"]`, which brings a SQLite, and the
//! same rusqlite:
//!
#![cfg_attr(feature = "bundled", doc = "```")]
#![cfg_attr(not(feature = "bundled"), doc = "```no_run")]
//! # fn main() -> rusqlite::Result<()> {
//! let db = rusqlite::Connection::open_in_memory()?;
//! agent_history::register(&db)?;
//! let sql = "SELECT count(*) FROM agent_columns WHERE table_name = 'agent_messages' AND name = 'text'";
//! let columns: i64 = db.query_row(sql, [], |row| row.get(0))?;
//! assert_eq!(columns, 1);
//! # Ok(())
//! # }
//! ```

#[cfg(all(feature = "loadable_extension", feature = "bundled"))]
compile_error!("features loadable_extension and bundled exclude each other: use --no-default-features with bundled");

pub mod agents;
pub mod error;
#[cfg(feature = "loadable_extension")]
pub mod extension;
pub mod interrupt;
pub mod json;
pub mod lines;
pub mod model;
pub mod store;
pub mod table;
pub mod text;
pub mod time;
pub mod vtab;

use rusqlite::Connection;
use std::sync::Arc;

/// Registers every table and function on a connection.
///
/// # Errors
/// SQLite's own, when it cannot register a module.
pub fn register(db: &Connection) -> rusqlite::Result<()> {
    let session = Arc::new(vtab::interruptible_session(db));
    for table in agents::tables() {
        vtab::register(db, table, &session)?;
    }
    for function in agents::functions() {
        vtab::functions::add(db, function)?;
    }
    vtab::functions::register(db, &session)
}
