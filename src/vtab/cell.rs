//! xColumn: the current row's cell to SQLite. It is called once per cell, millions of times in a scan of all columns,
//! so SQLite calls it without rusqlite's layers between.

use super::{TableCursor, panic_words};
use crate::table::Cell;
use rusqlite::ffi;
use std::ffi::{c_char, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// SQLite's xColumn. A result is NULL until it is set.
pub unsafe extern "C" fn column(
    cursor: *mut ffi::sqlite3_vtab_cursor,
    context: *mut ffi::sqlite3_context,
    index: c_int,
) -> c_int {
    // SAFETY: SQLite passes a cursor that `TableTab::open` made, which no callback of ours holds at this time.
    let cursor = unsafe { &*cursor.cast::<TableCursor>() };
    // SAFETY: SQLite's own context, for as long as this call.
    let give = AssertUnwindSafe(|| unsafe { give(cursor, context, index) });
    match catch_unwind(give) {
        Ok(()) => ffi::SQLITE_OK,
        Err(panic) => {
            let words = panic_words(&*panic);
            let length = c_int::try_from(words.len()).unwrap_or(c_int::MAX);
            // SAFETY: as above; SQLite copies the words.
            unsafe { ffi::sqlite3_result_error(context, words.as_ptr().cast(), length) };
            ffi::SQLITE_ERROR
        }
    }
}

/// # Safety
/// `context` must be the one of the xColumn that is running.
unsafe fn give(cursor: &TableCursor, context: *mut ffi::sqlite3_context, index: c_int) {
    let (Some(rows), Ok(index)) = (&cursor.rows, usize::try_from(index)) else { return };
    match rows.cell(index) {
        Cell::Null => {}
        // SAFETY: the context is the running xColumn's.
        Cell::Integer(number) => unsafe { ffi::sqlite3_result_int64(context, number) },
        // SAFETY: as above.
        Cell::Text(text) => unsafe { set_text(context, text.as_bytes()) },
        Cell::Decoded(text) => {
            // SAFETY: as above.
            text.read(&mut cursor.scratch.borrow_mut(), |text| unsafe { set_text(context, text) });
        }
    }
}

/// SQLite copies the text: it may keep it longer than the row lives.
///
/// # Safety
/// As [`give`].
unsafe fn set_text(context: *mut ffi::sqlite3_context, text: &[u8]) {
    // The empty text may stand nowhere.
    let start: *const c_char = if text.is_empty() { c"".as_ptr() } else { text.as_ptr().cast() };
    // SAFETY: so many bytes stand there.
    unsafe {
        ffi::sqlite3_result_text64(context, start, text.len() as u64, ffi::SQLITE_TRANSIENT(), ffi::SQLITE_UTF8 as u8);
    }
}
