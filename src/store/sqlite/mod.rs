//! Another program's live SQLite database, read without locks and without leaving a trace.
//!
//! The usual ways to open a store that its owner is using are wrong or leave traces. `mode=ro` makes `-wal` and
//! `-shm` files beside a write-ahead store, and its locks make the owner's own save fail. `immutable=1` and copies
//! give wrong answers. A plain `File::open` drops the locks that the host process itself holds on the file.
//!
//! A [`Database`] reads through an overlay VFS (`vfs`) that finds one committed state (`state`) of main file,
//! log and journal, takes no lock, opens everything for reading only, and proves *after* each read that the state
//! stood still; what cannot be proven is read again. An answer is right, or it is an error in words.
//!
//! It works on Linux, where all of it was tried. macOS has weaker file times and no `/proc`, so it waits and refuses
//! more often; that, and Windows, are written from documentation and were never run.
//!
//! Limits, each an error in words: a writer that keeps its journal in memory while it writes, a rollback store with
//! commits that follow faster than it can be read, network filesystems that are mounted for writing, encrypted
//! stores.

mod batches;
mod blob;
mod columns;
mod connection;
mod database;
mod host;
pub mod pool;
mod row;
mod state;
mod vfs;

pub use batches::Batches;
pub use blob::{Amount, Blob};
pub use database::{Database, Interrupt, Options, Stamp};
pub use host::{HostFile, head, read_whole};
pub use row::{Param, Row, Storage};

#[cfg(test)]
#[cfg(all(unix, feature = "bundled"))]
mod tests;
