//! What a file's metadata says about its contents.
//!
//! Proof 8. Two equal stamps say that nobody wrote in between only if a write is sure to change the stamp. Kernels
//! from 6.13 on give a file whose time was looked at a fresh, fine time at its next write (ext4, xfs, btrfs, tmpfs).
//! Elsewhere time advances in ticks of milliseconds, and a stamp of the running tick proves nothing: it is waited out.

use super::io_error;
use super::platform::{self, FileId};
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

/// For tests of what other kernels do.
#[cfg(test)]
pub static IS_TICKING: std::sync::atomic::AtomicBool = std::sync::atomic::AtomicBool::new(false);

/// A stamp, and whether it proves anything.
#[derive(Debug, Clone, Copy)]
pub struct Look {
    /// What was seen.
    pub stamp: Stamp,
    /// A write after the look is sure to change the stamp.
    pub is_settled: bool,
}

impl Clock {
    /// The clock of the filesystem that holds `path`.
    pub fn of(path: &Path) -> Self {
        #[cfg(test)]
        if IS_TICKING.load(std::sync::atomic::Ordering::Relaxed) {
            return Self::Ticking;
        }
        if platform::has_exact_times(path) { Self::Exact } else { Self::Ticking }
    }

    /// Looks at what stands at `path`; `None` when nothing does.
    ///
    /// The tick is asked for *before* the stamp: a write after the look then carries that tick or a later one.
    pub fn look(self, path: &Path) -> Result<Option<Look>, Error> {
        let tick = platform::tick();
        let is_settled = |stamp: &Stamp| self == Self::Exact || !is_of_running_tick(stamp.changed, tick);
        Ok(Stamp::at(path)?.map(|stamp| Look { stamp, is_settled: is_settled(&stamp) }))
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
