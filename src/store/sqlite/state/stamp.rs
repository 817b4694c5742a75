//! What a file's metadata says about its contents.
//!
//! Proof 8. Two equal stamps say that nobody wrote in between only if a write is sure to change the stamp. Kernels
//! from 6.13 on give a file whose time was looked at a fresh, fine time at its next write (ext4, xfs, btrfs, tmpfs).
//! Elsewhere time advances in ticks of milliseconds, and a stamp of the running tick proves nothing: it is waited out.

use super::platform::{self, FileId};
use super::{Refusal, io_error};
use crate::error::Error;
use std::fs::Metadata;
use std::io;
use std::path::Path;

/// Seconds and nanoseconds since 1970.
pub type Instant = (i64, i64);

/// Identity, size and times of a file at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Stamp {
    /// The file itself, whatever its name.
    pub id: FileId,
    /// Bytes.
    pub len: u64,
    /// Last change of the contents.
    pub modified: Instant,
    /// Last change of contents or metadata: nobody can set it back.
    pub changed: Instant,
}

impl Stamp {
    /// The stamp in `metadata`.
    pub fn of(metadata: &Metadata) -> Self {
        platform::stamp(metadata)
    }

    /// The stamp of whatever stands at `path`; `None` when nothing does.
    pub fn at(path: &Path) -> Result<Option<Self>, Error> {
        match std::fs::metadata(path) {
            Ok(metadata) => Ok(Some(Self::of(&metadata))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(io_error(path, &error)),
        }
    }
}

/// How far the timestamps of a filesystem can be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clock {
    /// Any write after a look changes the stamp.
    Exact,
    /// Writes within one tick carry the same time.
    Ticking,
}

/// A time further ahead than this does not come from the running clock (the clock was set back, or the file was
/// brought here): a write now would change it visibly.
const AHEAD_SECONDS: i64 = 10;

impl Clock {
    /// The clock of the filesystem that holds `path`.
    pub fn of(path: &Path) -> Self {
        if platform::has_exact_times(path) { Self::Exact } else { Self::Ticking }
    }

    /// Refuses a stamp that a write within the running tick would leave as it is.
    pub fn trust(self, stamp: &Stamp) -> Result<(), Refusal> {
        if self == Self::Exact || !is_of_running_tick(stamp.changed, platform::tick()) {
            return Ok(());
        }
        Err(Refusal::Moved("it was written within this tick of the clock"))
    }
}

/// Every write sets the time of change to the running tick, so only that time need be looked at.
fn is_of_running_tick(changed: Instant, tick: Instant) -> bool {
    changed >= tick && changed.0 - tick.0 <= AHEAD_SECONDS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_running_tick_is_doubted() {
        let tick = (100, 4_000_000);
        assert!(!is_of_running_tick((100, 3_999_999), tick));
        assert!(is_of_running_tick((100, 4_000_000), tick));
        assert!(is_of_running_tick((101, 0), tick));
        assert!(!is_of_running_tick((4_000, 0), tick), "a time from the future is not of this tick");
    }
}
