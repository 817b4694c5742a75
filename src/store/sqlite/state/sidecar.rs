//! `-wal` and `-journal`: opened by us, since SQLite puts no lock on them that closing them would drop.
//!
//! `-shm` is never opened: it carries the log's locks, and closing a descriptor of ours would drop the host's own.

use super::stamp::Stamp;
use super::{io_error, platform};
use crate::error::{Error, Kind};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// An open sidecar file and the index over it. It stays open while it is compared with what its path names: the
/// number of an inode in our hands is not used again.
pub struct Sidecar<T> {
    /// Where it stands.
    pub path: PathBuf,
    /// The open file.
    pub file: File,
    /// When it was opened.
    pub stamp: Stamp,
    /// What its contents say.
    pub index: T,
}

impl Sidecar<()> {
    /// Opens the file; `None` when there is none. Never blocks: a FIFO in its place is an error.
    pub fn open(path: &Path) -> Result<Option<Self>, Error> {
        let failed = |error: io::Error| io_error(path, &error);
        let file = match platform::open_for_reading(path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(failed(error)),
        };
        let metadata = file.metadata().map_err(failed)?;
        if !metadata.is_file() {
            return Err(Error::new(Kind::Io, "not a regular file").in_file(path.display().to_string()));
        }
        Ok(Some(Self { path: path.to_owned(), stamp: Stamp::of(&metadata), file, index: () }))
    }

    /// The same file with an index.
    pub fn with<T>(self, index: T) -> Sidecar<T> {
        Sidecar { path: self.path, file: self.file, stamp: self.stamp, index }
    }
}

impl<T> Sidecar<T> {
    /// Does the path still name the file in our hands?
    pub fn is_in_place(&self) -> Result<bool, Error> {
        Ok(Stamp::at(&self.path)?.is_some_and(|now| now.id == self.stamp.id))
    }

    /// [`Kind::Io`] about this file.
    pub fn error(&self, error: &io::Error) -> Error {
        io_error(&self.path, error)
    }
}
