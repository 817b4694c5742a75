//! Unix: inodes, nanosecond times, descriptors that never block.
#![allow(unsafe_code, reason = "access has no wrapper in the standard library")]

#[cfg(not(target_os = "linux"))]
use crate::store::sqlite::state::stamp::Instant;
use crate::store::sqlite::state::stamp::Stamp;
use std::ffi::{CStr, CString, OsStr};
use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

#[cfg(target_os = "linux")]
pub use super::linux::{has_exact_times, is_only_reserved, tick};
#[cfg(target_os = "linux")]
pub use super::remote::remote_kind;

/// The host's own VFS: it knows which descriptors of the process carry locks and spares them.
pub const HOST_VFS: &CStr = c"unix";

/// Can it be asked who holds a lock without taking one?
pub const CAN_ASK_FOR_LOCKS: bool = true;

/// Device and inode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FileId {
    /// `st_dev`.
    pub device: u64,
    /// `st_ino`.
    pub inode: u64,
}

/// Identity, size and times.
pub fn stamp(metadata: &Metadata) -> Stamp {
    Stamp {
        id: FileId { device: metadata.dev(), inode: metadata.ino() },
        len: metadata.size(),
        modified: (metadata.mtime(), metadata.mtime_nsec()),
        changed: (metadata.ctime(), metadata.ctime_nsec()),
    }
}

/// `pread`.
pub fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    file.read_at(buffer, offset)
}

/// Opens for reading only; a FIFO or a device does not hold us up.
pub fn open_for_reading(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY).open(path)
}

/// A file name as SQLite spells it.
pub fn path_of(name: &[u8]) -> Option<PathBuf> {
    Some(PathBuf::from(OsStr::from_bytes(name)))
}

/// A path as SQLite takes it, without the closing NUL; `None` where it cannot be spelled.
pub fn name_of(path: &Path) -> Option<Vec<u8>> {
    let name = path.as_os_str().as_bytes();
    (!name.contains(&0)).then(|| name.to_vec())
}

/// May the file be opened for reading? Asked without opening it, which would put the host's locks at risk.
pub fn is_readable(path: &Path) -> io::Result<()> {
    let path = CString::new(path.as_os_str().as_bytes())?;
    // SAFETY: a C string; `access` only looks.
    if unsafe { libc::access(path.as_ptr(), libc::R_OK) } == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// APFS keeps nanoseconds, but promises no fresh time for every write.
#[cfg(not(target_os = "linux"))]
pub fn has_exact_times(_: &Path) -> bool {
    false
}

/// The start of what is taken for the running tick of file times. Never tried.
#[cfg(not(target_os = "linux"))]
pub fn tick() -> Instant {
    let tick = std::time::Duration::from_millis(20);
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    let start = now.saturating_sub(tick);
    (i64::try_from(start.as_secs()).unwrap_or(i64::MAX), i64::from(start.subsec_nanos()))
}

/// Without Linux' `/proc` nobody can say whether a writer holds more than RESERVED: doubt it.
#[cfg(not(target_os = "linux"))]
pub fn is_only_reserved(_: &Stamp) -> bool {
    false
}

/// Not told apart here.
#[cfg(not(target_os = "linux"))]
pub fn remote_kind(_: &Path) -> Option<&'static str> {
    None
}
