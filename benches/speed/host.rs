//! A statement read as Python or Node.js read it: of each cell its type, then its text and length, or its number.
#![allow(unsafe_code, reason = "SQLite's own calls are what is to be measured, not a binding's")]

use super::Result;
use rusqlite::{Connection, ffi};
use std::ffi::c_int;
use std::marker::PhantomData;
use std::ptr;

/// A prepared statement.
pub struct Statement<'db> {
    raw: *mut ffi::sqlite3_stmt,
    columns: c_int,
    db: PhantomData<&'db Connection>,
}

impl<'db> Statement<'db> {
    /// Prepares `sql` with its one parameter.
    pub fn new(db: &'db Connection, sql: &str, parameter: &str) -> Result<Self> {
        let (mut raw, length) = (ptr::null_mut(), c_int::try_from(sql.len())?);
        // SAFETY: the connection is open, and so many bytes stand there.
        let code =
            unsafe { ffi::sqlite3_prepare_v2(db.handle(), sql.as_ptr().cast(), length, &raw mut raw, ptr::null_mut()) };
        // SAFETY: prepared, or null, which has no columns.
        let columns = unsafe { ffi::sqlite3_column_count(raw) };
        let statement = Self { raw, columns, db: PhantomData };
        statement.check(code, ffi::SQLITE_OK)?;
        let (start, length) = (parameter.as_ptr().cast(), c_int::try_from(parameter.len())?);
        // SAFETY: SQLite copies the parameter.
        let code = unsafe { ffi::sqlite3_bind_text(raw, 1, start, length, ffi::SQLITE_TRANSIENT()) };
        statement.check(code, ffi::SQLITE_OK)?;
        Ok(statement)
    }

    /// Goes to the next row; false when there is none.
    pub fn step(&mut self) -> Result<bool> {
        // SAFETY: the statement is prepared.
        let code = unsafe { ffi::sqlite3_step(self.raw) };
        if code == ffi::SQLITE_DONE {
            return Ok(false);
        }
        self.check(code, ffi::SQLITE_ROW)?;
        Ok(true)
    }

    /// Reads every cell of the row; the length of its texts.
    pub fn read(&self) -> usize {
        (0..self.columns).map(|column| self.cell(column)).sum()
    }

    fn cell(&self, column: c_int) -> usize {
        // SAFETY: the statement stands on a row with that column; the text is read while it does.
        unsafe {
            match ffi::sqlite3_column_type(self.raw, column) {
                ffi::SQLITE_TEXT => {
                    std::hint::black_box(ffi::sqlite3_column_text(self.raw, column));
                    usize::try_from(ffi::sqlite3_column_bytes(self.raw, column)).unwrap_or(0)
                }
                ffi::SQLITE_INTEGER => {
                    std::hint::black_box(ffi::sqlite3_column_int64(self.raw, column));
                    0
                }
                _ => 0,
            }
        }
    }

    fn check(&self, code: c_int, wanted: c_int) -> Result<()> {
        if code == wanted { Ok(()) } else { Err(rusqlite::Error::SqliteFailure(ffi::Error::new(code), None).into()) }
    }
}

impl Drop for Statement<'_> {
    fn drop(&mut self) {
        // SAFETY: prepared, or null, and not used again.
        unsafe { ffi::sqlite3_finalize(self.raw) };
    }
}
