//! xColumn: the current row's cell to SQLite. It is called once per cell, millions of times in a scan of all columns,
//! so SQLite calls it without rusqlite's layers between.

use super::{TableCursor, panic_words};
use crate::json::Scratch;
use crate::table::Cell;
use crate::time::{Time, TimeText};
use rusqlite::ffi;
use std::ffi::{c_char, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Where texts are made that stand nowhere as they are, one after the other.
#[derive(Default)]
pub struct Desk {
    decoded: Scratch,
    pointer: String,
    /// The last time. Rows that follow each other often have the same.
    time: Option<(Time, TimeText)>,
}

impl Desk {
    fn time(&mut self, time: Time) -> &TimeText {
        if self.time.is_none_or(|(last, _)| last != time) {
            self.time = None;
        }
        &self.time.get_or_insert_with(|| (time, time.text())).1
    }
}

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
    let cell = rows.cell(index);
    if let Cell::Null = cell {
        return;
    }
    let desk = &mut *cursor.desk.borrow_mut();
    // SAFETY: the context is the running xColumn's.
    let set = |text: &[u8]| unsafe { set_text(context, text) };
    match cell {
        Cell::Null => {}
        // SAFETY: as above.
        Cell::Integer(number) => unsafe { ffi::sqlite3_result_int64(context, number) },
        Cell::Text(text) => set(text.as_bytes()),
        Cell::Decoded(text) => text.read(&mut desk.decoded, set),
        Cell::Time(time) => set(desk.time(time).as_bytes()),
        Cell::Pointer(pointer) => {
            desk.pointer.clear();
            pointer.write_to(&mut desk.pointer);
            set(desk.pointer.as_bytes());
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
