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
    ended: Ended,
}

/// Texts with a NUL behind them.
///
/// A host reads a text with a NUL behind it. SQLite before 3.44 copies the text once more to put one there, unless it
/// got it with one: in Python that is a twelfth of a scan of all columns.
struct Ended {
    is_wanted: bool,
    text: Vec<u8>,
}

impl Ended {
    /// SQLite finds room for the NUL since then.
    const SINCE: c_int = 3_044_000;
    /// In bytes: of a longer text there are not many, and it would be kept.
    const MOST: usize = 1 << 20;

    /// The text with its NUL, where that is wanted and no other NUL would end it.
    fn end(&mut self, text: &[u8]) -> Option<&[u8]> {
        if !self.is_wanted || text.len() > Self::MOST || memchr::memchr(0, text).is_some() {
            return None;
        }
        self.text.clear();
        self.text.extend_from_slice(text);
        self.text.push(0);
        Some(&self.text)
    }
}

impl Default for Ended {
    fn default() -> Self {
        Self { is_wanted: rusqlite::version_number() < Self::SINCE, text: Vec::new() }
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
    let Desk { decoded, pointer, time: last, ended } = &mut *cursor.desk.borrow_mut();
    // SAFETY: the context is the running xColumn's.
    let mut set = |text: &[u8]| unsafe { set_text(context, ended, text) };
    match cell {
        Cell::Null => {}
        // SAFETY: as above.
        Cell::Integer(number) => unsafe { ffi::sqlite3_result_int64(context, number) },
        Cell::Text(text) => set(text.as_bytes()),
        Cell::Decoded(text) => text.read(decoded, set),
        Cell::Time(time) => {
            let known = last.filter(|(last, _)| *last == time);
            let (_, text) = last.insert(known.unwrap_or_else(|| (time, time.text())));
            set(text.as_bytes());
        }
        Cell::Pointer(steps) => {
            pointer.clear();
            steps.write_to(pointer);
            set(pointer.as_bytes());
        }
    }
}

/// SQLite copies the text: it may keep it longer than the row lives.
///
/// # Safety
/// As [`give`].
unsafe fn set_text(context: *mut ffi::sqlite3_context, ended: &mut Ended, text: &[u8]) {
    if let Some(text) = ended.end(text) {
        // SAFETY: the text ends with the one NUL in it.
        return unsafe { ffi::sqlite3_result_text(context, text.as_ptr().cast(), -1, ffi::SQLITE_TRANSIENT()) };
    }
    // The empty text may stand nowhere.
    let start: *const c_char = if text.is_empty() { c"".as_ptr() } else { text.as_ptr().cast() };
    // SAFETY: so many bytes stand there.
    unsafe {
        ffi::sqlite3_result_text64(context, start, text.len() as u64, ffi::SQLITE_TRANSIENT(), ffi::SQLITE_UTF8 as u8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_ends_at_its_nul_or_is_given_with_its_length() {
        let mut ended = Ended { is_wanted: true, text: Vec::new() };
        assert_eq!(ended.end(b"a longer text"), Some(&b"a longer text\0"[..]));
        assert_eq!(ended.end("é".as_bytes()), Some("é\0".as_bytes()));
        assert_eq!(ended.end(b""), Some(&b"\0"[..]));
        for text in [&b"\0"[..], b"a\0", b"a\0b", &[b'x'; Ended::MOST + 1]] {
            assert_eq!(ended.end(text), None);
        }
        ended.is_wanted = false;
        assert_eq!(ended.end(b"a"), None);
    }
}
