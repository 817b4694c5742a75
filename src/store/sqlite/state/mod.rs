//! One committed state of a store, and the proof, afterwards, that what was read belongs to it.
//!
//! A state is the newest committed bytes of every page: in the write-ahead log, in a rollback journal, or in the main
//! file. No lock is taken, so the store may move at any moment; every proof therefore runs *after* the reads and
//! looks for the traces that a writer cannot avoid. The order of the looks is what makes them proofs:
//!
//! 1. a page of the log belongs to its generation; 2. a page of the main file was not overwritten by a checkpoint,
//!    3. nor cut off ([`proof`]); 4. a commit that was never published is overwritten ([`wal`]); 5. a log without a
//!    commit leaves the size to the main file; 6. a main file without log and journal is whole while its stamp stays
//!    ([`snapshot`]); 7. a journal gives back what was there before ([`journal`]); 8. a stamp of the running tick
//!    proves nothing ([`stamp`]); 9. a schema of another state taints the connection (the overlay); 10. a journal in
//!    memory shows by its lock alone; 11. a super-journal decides ([`snapshot`]).
//!
//! Each has a test that makes its danger happen (`tests/proofs.rs`).

mod ahead;
pub mod bytes;
mod header;
pub mod journal;
pub mod pages;
pub mod platform;
mod proof;
mod reading;
mod sidecar;
pub mod snapshot;
pub mod stamp;
pub mod wal;

pub use proof::Freshness;
pub use snapshot::{Identity, State};
pub use stamp::Clock;

use crate::error::{Error, Kind};
use std::io;
use std::path::{Path, PathBuf};

/// Why something in a sidecar file cannot be used.
#[derive(Debug)]
pub enum Damage {
    /// It could not be read.
    Io(io::Error),
    /// It is of a kind that we do not know.
    Words(&'static str),
    /// Nobody waits for it any more.
    Interrupted(Error),
}

impl From<Error> for Damage {
    fn from(error: Error) -> Self {
        Self::Interrupted(error)
    }
}

impl From<io::Error> for Damage {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Why a state could not be had, or what was read from it could not be proven.
#[derive(Debug)]
pub enum Refusal {
    /// The store moved (the words say how): try again.
    Moved(&'static str),
    /// It will not get better by trying again.
    Failed(Error),
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// The path names another file than the one that is open.
const REPLACED: &str = "the file was replaced";

/// Proven, or not.
pub type Proof<T = ()> = Result<T, Refusal>;

/// The files of one store: SQLite appends to the main file's name.
pub struct Files {
    /// The main file.
    pub main: PathBuf,
    /// `<main>-wal`.
    pub log: PathBuf,
    /// `<main>-journal`.
    pub journal: PathBuf,
}

impl Files {
    /// The files of the store at `main`, which is no symbolic link.
    pub fn of(main: PathBuf) -> Self {
        let beside = |suffix: &str| {
            let mut name = main.clone().into_os_string();
            name.push(suffix);
            PathBuf::from(name)
        };
        Self { log: beside("-wal"), journal: beside("-journal"), main }
    }
}

/// [`Kind::Io`] about a file.
pub fn io_error(path: &Path, error: &io::Error) -> Error {
    Error::new(Kind::Io, error.to_string()).in_file(path.display().to_string())
}

fn damage(path: &Path, damage: Damage) -> Error {
    match damage {
        Damage::Io(error) => io_error(path, &error),
        Damage::Words(words) => Error::new(Kind::Sqlite, words).in_file(path.display().to_string()),
        Damage::Interrupted(error) => error,
    }
}
