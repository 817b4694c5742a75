//! The methods of an open file.

use super::{Overlay, guard};
use rusqlite::ffi;
use std::ffi::{c_int, c_void};

/// What stands in the memory that SQLite makes for an open file.
#[repr(C)]
pub struct OverlayFile {
    base: ffi::sqlite3_file,
    /// Boxed; null once closed.
    pub overlay: *mut Overlay,
}

/// Version 1: no shared memory, no memory map.
pub static METHODS: ffi::sqlite3_io_methods = ffi::sqlite3_io_methods {
    iVersion: 1,
    xClose: Some(close),
    xRead: Some(read),
    xWrite: Some(write),
    xTruncate: Some(truncate),
    xSync: Some(sync),
    xFileSize: Some(file_size),
    xLock: Some(lock),
    xUnlock: Some(unlock),
    xCheckReservedLock: Some(check_reserved_lock),
    xFileControl: Some(file_control),
    xSectorSize: Some(sector_size),
    xDeviceCharacteristics: Some(device_characteristics),
    xShmMap: None,
    xShmLock: None,
    xShmBarrier: None,
    xShmUnmap: None,
    xFetch: None,
    xUnfetch: None,
};

/// # Safety
/// `file` was opened by our `open` and is not closed.
unsafe fn overlay<'file>(file: *mut ffi::sqlite3_file) -> &'file mut Overlay {
    // SAFETY: by contract; SQLite calls the methods of a file one at a time.
    unsafe { &mut *(*file.cast::<OverlayFile>()).overlay }
}

unsafe extern "C" fn close(file: *mut ffi::sqlite3_file) -> c_int {
    guard(ffi::SQLITE_OK, || {
        // SAFETY: `open` put the box there; null afterwards, so that it is dropped once.
        unsafe {
            let slot = &raw mut (*file.cast::<OverlayFile>()).overlay;
            let overlay = slot.replace(std::ptr::null_mut());
            if !overlay.is_null() {
                drop(Box::from_raw(overlay));
            }
        }
        ffi::SQLITE_OK
    })
}

unsafe extern "C" fn read(file: *mut ffi::sqlite3_file, out: *mut c_void, len: c_int, offset: i64) -> c_int {
    guard(ffi::SQLITE_IOERR_READ, || {
        let (Ok(len), Ok(offset)) = (usize::try_from(len), u64::try_from(offset)) else {
            return ffi::SQLITE_IOERR_READ;
        };
        // SAFETY: SQLite passes a buffer of `len` bytes and an open file.
        unsafe { overlay(file).read(std::slice::from_raw_parts_mut(out.cast(), len), offset) }
    })
}

unsafe extern "C" fn write(_: *mut ffi::sqlite3_file, _: *const c_void, _: c_int, _: i64) -> c_int {
    ffi::SQLITE_READONLY
}

unsafe extern "C" fn truncate(_: *mut ffi::sqlite3_file, _: i64) -> c_int {
    ffi::SQLITE_READONLY
}

unsafe extern "C" fn sync(_: *mut ffi::sqlite3_file, _: c_int) -> c_int {
    ffi::SQLITE_READONLY
}

unsafe extern "C" fn file_size(file: *mut ffi::sqlite3_file, out: *mut i64) -> c_int {
    guard(ffi::SQLITE_IOERR_FSTAT, || {
        // SAFETY: an open file and a valid pointer.
        unsafe { *out = i64::try_from(overlay(file).len()).unwrap_or(i64::MAX) };
        ffi::SQLITE_OK
    })
}

/// SHARED begins a read; nothing is locked.
unsafe extern "C" fn lock(file: *mut ffi::sqlite3_file, level: c_int) -> c_int {
    guard(ffi::SQLITE_IOERR_LOCK, || {
        if level > ffi::SQLITE_LOCK_SHARED {
            return ffi::SQLITE_READONLY;
        }
        // SAFETY: an open file.
        unsafe { overlay(file).begin() }
    })
}

unsafe extern "C" fn unlock(file: *mut ffi::sqlite3_file, level: c_int) -> c_int {
    guard(ffi::SQLITE_OK, || {
        if level == ffi::SQLITE_LOCK_NONE {
            // SAFETY: an open file.
            unsafe { overlay(file).end() };
        }
        ffi::SQLITE_OK
    })
}

unsafe extern "C" fn check_reserved_lock(_: *mut ffi::sqlite3_file, answer: *mut c_int) -> c_int {
    // SAFETY: SQLite passes a valid pointer.
    unsafe { *answer = 0 };
    ffi::SQLITE_OK
}

unsafe extern "C" fn file_control(_: *mut ffi::sqlite3_file, _: c_int, _: *mut c_void) -> c_int {
    ffi::SQLITE_NOTFOUND
}

unsafe extern "C" fn sector_size(_: *mut ffi::sqlite3_file) -> c_int {
    4096
}

/// `SQLITE_IOCAP_SUBPAGE_READ`, which the bindings for the oldest hosts do not know; those do not look at it.
const SUBPAGE_READ: c_int = 0x8000;

/// A part of a page may be read: then SQLite reads a large value past its page cache, straight to where it is wanted.
unsafe extern "C" fn device_characteristics(_: *mut ffi::sqlite3_file) -> c_int {
    SUBPAGE_READ
}
