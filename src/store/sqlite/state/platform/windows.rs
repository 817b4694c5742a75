//! Windows: written from documentation, never run.
//!
//! NTFS may put off a file's last write time while a writer has it open, so the proofs that rest on the main file's
//! stamp (rollback journals) are weaker here than on Linux; those that rest on the log are not.

use crate::store::sqlite::state::stamp::{Instant, Stamp};
use std::ffi::CStr;
use std::fs::{File, Metadata};
use std::io;
use std::os::windows::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};

/// The host's own VFS.
pub const HOST_VFS: &CStr = c"win32";

/// Asking this VFS whether anybody holds RESERVED takes that lock for a moment: a writer could see it.
pub const CAN_ASK_FOR_LOCKS: bool = false;

/// The time of creation, in 100 ns since 1601: the file index has no stable name in the standard library.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FileId {
    created: u64,
}

/// Identity, size and times.
pub fn stamp(metadata: &Metadata) -> Stamp {
    let written = metadata.last_write_time();
    let time = (i64::try_from(written / 10_000_000).unwrap_or(i64::MAX), (written % 10_000_000) as i64 * 100);
    Stamp { id: FileId { created: metadata.creation_time() }, len: metadata.file_size(), modified: time, changed: time }
}

/// A read at a position; the cursor that it moves is nobody else's.
pub fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    file.seek_read(buffer, offset)
}

/// Opens for reading only. The standard library shares everything, so the writer can still delete its log.
pub fn open_for_reading(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// A file name as SQLite spells it.
pub fn path_of(name: &[u8]) -> Option<PathBuf> {
    str::from_utf8(name).ok().map(PathBuf::from)
}

/// A path as SQLite takes it, without the closing NUL; `None` where it cannot be spelled.
pub fn name_of(path: &Path) -> Option<Vec<u8>> {
    path.to_str().filter(|name| !name.contains('\0')).map(|name| name.as_bytes().to_vec())
}

/// Nobody says why a file cannot be opened without opening it.
pub fn is_readable(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Times are kept in 100 ns, but put off.
pub fn has_exact_times(_: &Path) -> bool {
    false
}

/// The start of what is taken for the running tick of file times, in seconds since 1601.
pub fn tick() -> Instant {
    const FROM_1601_TO_1970: u64 = 11_644_473_600;
    let tick = std::time::Duration::from_millis(20);
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    let start = now.saturating_sub(tick);
    (i64::try_from(start.as_secs() + FROM_1601_TO_1970).unwrap_or(i64::MAX), i64::from(start.subsec_nanos()))
}

/// Never asked: see [`CAN_ASK_FOR_LOCKS`].
pub fn is_only_reserved(_: &Stamp) -> bool {
    false
}

/// Not told apart here.
pub fn remote_kind(_: &Path) -> Option<&'static str> {
    None
}
