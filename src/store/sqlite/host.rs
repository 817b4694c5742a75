//! A file opened through the host's own VFS, for reading only.
//!
//! POSIX drops all locks that a process holds on a file as soon as the process closes *any* descriptor on it. The
//! host of this library may have the very store open; a plain open and close of it here would let a second writer in
//! and lose the host's commit. The host's VFS knows its descriptors and puts the close off. So the bytes of a file
//! that may be a database come from here and nowhere else.
#![allow(unsafe_code, reason = "calls the methods of SQLite's VFS objects")]

use super::database::resolve;
use super::state::bytes::ReadAt;
use super::state::{io_error, platform};
use crate::error::{Error, Kind, Result};
use rusqlite::ffi;
use std::ffi::{c_char, c_int};
use std::io::{self, Read as _};
use std::path::Path;

/// An open file of the host's VFS: for any file that might be a database, whatever its name says.
pub struct HostFile {
    /// The `sqlite3_file`, with room for what the VFS keeps behind it.
    memory: Box<[u64]>,
    /// Has it methods, so that it must be closed?
    is_open: bool,
    /// The name, if it is ours to keep: the VFS holds on to the pointer.
    _name: Option<Box<[u8]>>,
    /// Where [`io::Read`] goes on.
    position: u64,
}

// SAFETY: SQLite's files may move between threads; `&mut self` and ownership keep their use to one at a time, and
// the methods that take `&self` are called from the one thread that owns the connection.
unsafe impl Send for HostFile {}

/// The first bytes of a file, up to `max_bytes` of them: to see what it is without touching the host's locks.
///
/// # Errors
/// [`Kind::Io`] when it cannot be read or is no regular file.
pub fn head(path: &Path, max_bytes: usize) -> Result<Vec<u8>> {
    let mut bytes = vec![0; max_bytes];
    let got = HostFile::open(path)?.read_at(&mut bytes, 0).map_err(|error| io_error(path, &error))?;
    bytes.truncate(got);
    Ok(bytes)
}

/// All bytes of a file that is no database, read without touching the host's locks. What a writer does meanwhile may
/// show in them.
///
/// # Errors
/// [`Kind::Io`] as [`head`], [`Kind::Limit`] when it is larger than `max_bytes`.
pub fn read_whole(path: &Path, max_bytes: u64) -> Result<Vec<u8>> {
    let mut file = HostFile::open(path)?;
    let failed = |error: io::Error| io_error(path, &error);
    let len = file.size().map_err(failed)?;
    if len > max_bytes {
        let what = format!("the file is larger than {max_bytes} bytes");
        return Err(Error::new(Kind::Limit, what).in_file(path.display().to_string()));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(len).unwrap_or(0));
    file.by_ref().take(max_bytes).read_to_end(&mut bytes).map_err(failed)?;
    Ok(bytes)
}

/// The host's VFS for ordinary files, whatever the host made its default.
pub fn host_vfs() -> Result<*mut ffi::sqlite3_vfs> {
    // SAFETY: the name is a C string; SQLite keeps its VFS objects alive.
    let vfs = unsafe { ffi::sqlite3_vfs_find(platform::HOST_VFS.as_ptr()) };
    if vfs.is_null() {
        let name = platform::HOST_VFS.to_string_lossy();
        return Err(Error::new(Kind::Sqlite, format!("this SQLite has no VFS named {name}")));
    }
    Ok(vfs)
}

impl HostFile {
    /// Opens a file for reading; links are resolved.
    ///
    /// # Errors
    /// [`Kind::Io`] when it cannot be read or is no regular file.
    pub fn open(path: &Path) -> Result<Self> {
        let shown = || path.display().to_string();
        let resolved = resolve(path).map_err(|error| error.in_file(shown()))?;
        Self::open_resolved(&resolved).map_err(|error| error.in_file(shown()))
    }

    fn open_resolved(path: &Path) -> Result<Self> {
        // SQLite's names are followed by a list of URI parameters (here none) and preceded by zeros.
        let mut name = vec![0; 4];
        name.extend(platform::name_of(path).ok_or_else(|| Error::new(Kind::Io, "a name that SQLite cannot spell"))?);
        name.extend([0; 4]);
        let name = name.into_boxed_slice();
        let vfs = host_vfs()?;
        // SAFETY: the VFS lives on; the name is NUL-terminated and kept as long as the file.
        let opened = unsafe { Self::open_named(vfs, name.as_ptr().add(4).cast()) };
        let mut file = opened.map_err(|_| unreadable(path))?;
        file._name = Some(name);
        Ok(file)
    }

    /// Opens the file that the pager names.
    ///
    /// # Safety
    /// `vfs` is a registered VFS; `name` is a name as SQLite gives to `xOpen`, and outlives the file.
    pub(super) unsafe fn open_named(vfs: *mut ffi::sqlite3_vfs, name: *const c_char) -> Result<Self, c_int> {
        // SAFETY: `vfs` is valid by this function's contract.
        let (size, open) = unsafe { ((*vfs).szOsFile, (*vfs).xOpen) };
        let words = usize::try_from(size).unwrap_or(0).div_ceil(size_of::<u64>());
        let open = open.ok_or(ffi::SQLITE_CANTOPEN)?;
        let mut file = Self { memory: vec![0; words].into_boxed_slice(), is_open: false, _name: None, position: 0 };
        let flags = ffi::SQLITE_OPEN_READONLY | ffi::SQLITE_OPEN_MAIN_DB;
        let mut granted = 0;
        // SAFETY: the memory is zeroed, aligned and as large as the VFS asks; name and VFS by contract.
        let code = unsafe { open(vfs, name, file.raw(), flags, &raw mut granted) };
        // SAFETY: xOpen sets the methods, or leaves the zeros; with methods the file must be closed even on failure.
        file.is_open = unsafe { !(*file.raw()).pMethods.is_null() };
        if code == ffi::SQLITE_OK && file.is_open { Ok(file) } else { Err(code.max(ffi::SQLITE_ERROR)) }
    }

    /// Bytes in the file.
    ///
    /// # Errors
    /// The operating system's.
    pub fn size(&self) -> io::Result<u64> {
        let mut len = 0;
        let call = self.methods().xFileSize.ok_or(io::ErrorKind::Unsupported)?;
        // SAFETY: the file is open.
        let code = unsafe { call(self.raw(), &raw mut len) };
        if code == ffi::SQLITE_OK { Ok(u64::try_from(len).unwrap_or(0)) } else { Err(failed("tell the size", code)) }
    }

    /// Does anybody hold RESERVED or more? Takes no lock. A failure counts as yes.
    pub(super) fn is_reserved(&self) -> bool {
        let mut answer = 0;
        let Some(call) = self.methods().xCheckReservedLock else { return true };
        // SAFETY: the file is open.
        let code = unsafe { call(self.raw(), &raw mut answer) };
        code != ffi::SQLITE_OK || answer != 0
    }

    /// Is the open file no longer the one that its path names?
    pub(super) fn has_moved(&self) -> bool {
        let mut answer: c_int = 0;
        let Some(call) = self.methods().xFileControl else { return false };
        // SAFETY: the file is open; this control takes a pointer to an int.
        let code = unsafe { call(self.raw(), ffi::SQLITE_FCNTL_HAS_MOVED, (&raw mut answer).cast()) };
        code == ffi::SQLITE_OK && answer != 0
    }

    fn raw(&self) -> *mut ffi::sqlite3_file {
        self.memory.as_ptr().cast_mut().cast()
    }

    fn methods(&self) -> &ffi::sqlite3_io_methods {
        // SAFETY: a `HostFile` that left `open_named` has methods, which are static in the VFS.
        unsafe { &*(*self.raw()).pMethods }
    }

    fn read(&self, buffer: &mut [u8], offset: u64) -> io::Result<c_int> {
        let call = self.methods().xRead.ok_or(io::ErrorKind::Unsupported)?;
        let len = c_int::try_from(buffer.len()).map_err(io::Error::other)?;
        let offset = i64::try_from(offset).map_err(io::Error::other)?;
        // SAFETY: the file is open and the buffer has `len` bytes.
        Ok(unsafe { call(self.raw(), buffer.as_mut_ptr().cast(), len, offset) })
    }
}

/// SQLite's VFS is made for reads of pages.
const MAX_READ_BYTES: usize = 64 << 10;

impl ReadAt for HostFile {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let mut done = 0;
        for part in buffer.chunks_mut(MAX_READ_BYTES) {
            let got = self.read_part(part, offset + done as u64)?;
            done += got;
            if got < part.len() {
                break;
            }
        }
        Ok(done)
    }
}

impl HostFile {
    fn read_part(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        match self.read(buffer, offset)? {
            ffi::SQLITE_OK => Ok(buffer.len()),
            ffi::SQLITE_IOERR_SHORT_READ => {
                // xRead does not say how short. The length first, then the bytes again: the file may grow between.
                let len = self.size()?;
                if self.read(buffer, offset)? == ffi::SQLITE_OK {
                    return Ok(buffer.len());
                }
                Ok(usize::try_from(len.saturating_sub(offset)).unwrap_or(usize::MAX).min(buffer.len()))
            }
            code => Err(failed("read", code)),
        }
    }
}

impl io::Read for HostFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let got = self.read_at(buffer, self.position)?;
        self.position += got as u64;
        Ok(got)
    }
}

impl io::Seek for HostFile {
    fn seek(&mut self, to: io::SeekFrom) -> io::Result<u64> {
        let (from, distance) = match to {
            io::SeekFrom::Start(position) => (position, 0),
            io::SeekFrom::Current(distance) => (self.position, distance),
            io::SeekFrom::End(distance) => (self.size()?, distance),
        };
        self.position = from.checked_add_signed(distance).ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.position)
    }
}

impl Drop for HostFile {
    fn drop(&mut self) {
        if !self.is_open {
            return;
        }
        if let Some(close) = self.methods().xClose {
            // SAFETY: the file is open, and nothing uses it afterwards.
            unsafe { close(self.raw()) };
        }
    }
}

/// Why a file cannot be opened: SQLite does not say.
pub fn unreadable(path: &Path) -> Error {
    match platform::is_readable(path) {
        Err(error) => io_error(path, &error),
        Ok(()) => Error::new(Kind::Io, "unable to open the file").in_file(path.display().to_string()),
    }
}

fn failed(what: &str, code: c_int) -> io::Error {
    io::Error::other(format!("the host's VFS failed to {what} ({code})"))
}
