//! The read-only overlay VFS: SQLite reads one committed state through it and never touches the store.
//!
//! What SQLite asks for, and what it gets:
//! - the main file is opened by the host's VFS, for reading; journals, logs and super-journals cannot be opened, and
//!   are said not to exist: the [`Overlay`] lays their bytes over the main file's pages itself;
//! - the lock that begins a read brings the state up to date and locks nothing; writing, cutting, syncing are refused;
//! - the methods are of version 1: no shared memory, no memory map.
//!
//! Nothing unwinds out of a method: a panic becomes an I/O error.
#![allow(unsafe_code, reason = "the callbacks of a SQLite VFS are raw pointers by definition")]

mod methods;
mod overlay;
mod serve;

pub use overlay::Overlay;

use super::host::{HostFile, host_vfs};
use super::state::platform;
use crate::error::{Error, Kind, Result};
use methods::{METHODS, OverlayFile};
use rusqlite::{Connection, ffi};
use std::ffi::{CStr, CString, c_char, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::sync::OnceLock;

/// Longest path in bytes.
const MAX_PATH_BYTES: c_int = 4096;

/// Registers the VFS, once per process, and gives its name. It is never unregistered, so the library must stay
/// loaded (`SQLITE_OK_LOAD_PERMANENTLY`).
pub fn name() -> Result<&'static CStr> {
    static NAME: OnceLock<Result<CString>> = OnceLock::new();
    NAME.get_or_init(register).as_deref().map_err(Clone::clone)
}

fn register() -> Result<CString> {
    let host = host_vfs()?;
    // Another copy of this library in the process has an address, hence a name, of its own.
    let name = format!("agent-history-{:x}", (&raw const METHODS).addr());
    let name = CString::new(name).map_err(|error| Error::new(Kind::Sqlite, error.to_string()))?;
    // SAFETY: all zeros are a valid sqlite3_vfs: null pointers and absent methods.
    let mut vfs: ffi::sqlite3_vfs = unsafe { std::mem::zeroed() };
    vfs.iVersion = 1;
    // SAFETY: the host's VFS is alive. Its temporary files are opened in the memory that SQLite makes for ours.
    vfs.szOsFile = unsafe { (*host).szOsFile }.max(c_int::try_from(size_of::<OverlayFile>()).unwrap_or(c_int::MAX));
    vfs.mxPathname = MAX_PATH_BYTES;
    vfs.pAppData = host.cast();
    vfs.xOpen = Some(open);
    vfs.xDelete = Some(delete);
    vfs.xAccess = Some(access);
    vfs.xFullPathname = Some(full_pathname);
    vfs.xRandomness = Some(randomness);
    vfs.xSleep = Some(sleep);
    vfs.xCurrentTime = Some(current_time);
    let vfs = Box::leak(Box::new(vfs));
    // The name moves into a static, but its characters stay where they are.
    vfs.zName = name.as_ptr();
    // SAFETY: the object is leaked and so valid for as long as the process lives.
    let code = unsafe { ffi::sqlite3_vfs_register(vfs, 0) };
    if code == ffi::SQLITE_OK {
        return Ok(name);
    }
    Err(Error::new(Kind::Sqlite, format!("cannot register the read-only VFS ({code})")))
}

/// The overlay behind a connection that was opened through this VFS.
pub fn overlay(connection: &mut Connection) -> Result<&mut Overlay> {
    let mut file: *mut ffi::sqlite3_file = ptr::null_mut();
    // SAFETY: the connection is open; this control fills a pointer to the file of "main".
    let code = unsafe {
        let out = (&raw mut file).cast();
        ffi::sqlite3_file_control(connection.handle(), c"main".as_ptr(), ffi::SQLITE_FCNTL_FILE_POINTER, out)
    };
    // SAFETY: a file that carries our methods is an `OverlayFile` with a valid overlay until xClose. SQLite calls no
    // method while the exclusive borrow of the connection lasts.
    let found = unsafe {
        let is_ours = code == ffi::SQLITE_OK && !file.is_null() && ptr::eq((*file).pMethods, &raw const METHODS);
        is_ours.then(|| (*file.cast::<OverlayFile>()).overlay.as_mut()).flatten()
    };
    found.ok_or_else(|| Error::new(Kind::Sqlite, "the store was not opened through the read-only VFS"))
}

fn guard(on_panic: c_int, body: impl FnOnce() -> c_int) -> c_int {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or(on_panic)
}

/// The host's VFS beneath ours.
///
/// # Safety
/// `vfs` is the object that `register` made.
unsafe fn host_of(vfs: *mut ffi::sqlite3_vfs) -> *mut ffi::sqlite3_vfs {
    // SAFETY: by contract.
    unsafe { (*vfs).pAppData.cast() }
}

const NOT_OURS: c_int = ffi::SQLITE_OPEN_MAIN_JOURNAL | ffi::SQLITE_OPEN_WAL | ffi::SQLITE_OPEN_SUPER_JOURNAL;

unsafe extern "C" fn open(
    vfs: *mut ffi::sqlite3_vfs,
    name: *const c_char,
    file: *mut ffi::sqlite3_file,
    flags: c_int,
    granted: *mut c_int,
) -> c_int {
    // SAFETY: SQLite passes our VFS, room for `szOsFile` bytes, and names that outlive the file.
    guard(ffi::SQLITE_CANTOPEN, || unsafe {
        (*file).pMethods = ptr::null();
        if flags & NOT_OURS != 0 {
            return ffi::SQLITE_CANTOPEN;
        }
        let host = host_of(vfs);
        if flags & ffi::SQLITE_OPEN_MAIN_DB == 0 {
            return (*host).xOpen.map_or(ffi::SQLITE_CANTOPEN, |open| open(host, name, file, flags, granted));
        }
        if name.is_null() || flags & ffi::SQLITE_OPEN_READONLY == 0 {
            return ffi::SQLITE_CANTOPEN;
        }
        let Some(path) = platform::path_of(CStr::from_ptr(name).to_bytes()) else { return ffi::SQLITE_CANTOPEN };
        let main = match HostFile::open_named(host, name) {
            Ok(main) => main,
            Err(code) => return code,
        };
        (*file.cast::<OverlayFile>()).overlay = Box::into_raw(Box::new(Overlay::new(path, main)));
        (*file).pMethods = &raw const METHODS;
        if let Some(granted) = granted.as_mut() {
            *granted = flags;
        }
        ffi::SQLITE_OK
    })
}

unsafe extern "C" fn delete(_: *mut ffi::sqlite3_vfs, _: *const c_char, _: c_int) -> c_int {
    ffi::SQLITE_READONLY
}

/// No sidecar is there, as far as SQLite is concerned. It asks about nothing else: temporary files are kept in memory.
unsafe extern "C" fn access(_: *mut ffi::sqlite3_vfs, _: *const c_char, _: c_int, answer: *mut c_int) -> c_int {
    // SAFETY: SQLite passes a valid pointer.
    unsafe { *answer = 0 };
    ffi::SQLITE_OK
}

/// The path comes resolved and absolute: it is kept as it is, whatever its length.
unsafe extern "C" fn full_pathname(
    _: *mut ffi::sqlite3_vfs,
    name: *const c_char,
    room: c_int,
    out: *mut c_char,
) -> c_int {
    guard(ffi::SQLITE_CANTOPEN, || {
        // SAFETY: SQLite passes a C string and a buffer of `room` bytes.
        let name = unsafe { CStr::from_ptr(name) }.to_bytes_with_nul();
        if usize::try_from(room).unwrap_or(0) < name.len() {
            return ffi::SQLITE_CANTOPEN;
        }
        // SAFETY: it fits, as just seen, and the two do not overlap.
        unsafe { ptr::copy_nonoverlapping(name.as_ptr().cast(), out, name.len()) };
        ffi::SQLITE_OK
    })
}

unsafe extern "C" fn randomness(vfs: *mut ffi::sqlite3_vfs, count: c_int, out: *mut c_char) -> c_int {
    // SAFETY: arguments as SQLite gave them, to the VFS beneath.
    unsafe { (*host_of(vfs)).xRandomness.map_or(0, |call| call(host_of(vfs), count, out)) }
}

unsafe extern "C" fn sleep(vfs: *mut ffi::sqlite3_vfs, microseconds: c_int) -> c_int {
    // SAFETY: as above.
    unsafe { (*host_of(vfs)).xSleep.map_or(0, |call| call(host_of(vfs), microseconds)) }
}

unsafe extern "C" fn current_time(vfs: *mut ffi::sqlite3_vfs, out: *mut f64) -> c_int {
    // SAFETY: as above.
    unsafe { (*host_of(vfs)).xCurrentTime.map_or(ffi::SQLITE_ERROR, |call| call(host_of(vfs), out)) }
}
