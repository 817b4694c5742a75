//! The local history of AI coding agents as SQLite tables.

pub mod error;
pub mod time;
