//! SQLite's handle on one value.
#![allow(unsafe_code, reason = "a blob handle and its connection live and move together")]

use crate::error::{Error, Kind, Result};
use crate::store::sqlite::connection::{self, Connection};
use crate::store::sqlite::database::quoted;
use crate::store::sqlite::state::{Proof, Refusal};
use rusqlite::ffi;
use std::ffi::{CString, c_int};
use std::ptr::{self, NonNull};

/// The values of a column.
#[derive(Clone)]
pub struct Column {
    table: String,
    column: String,
    c_table: CString,
    c_column: CString,
}

impl Column {
    /// The column of that name.
    pub fn new(table: &str, column: &str) -> Result<Self> {
        let name = |name: &str| CString::new(name).map_err(|_| Error::shape("a name with a NUL in it"));
        let (c_table, c_column) = (name(table)?, name(column)?);
        Ok(Self { table: table.to_owned(), column: column.to_owned(), c_table, c_column })
    }

    /// The value at `rowid` as SQLite converts it.
    pub fn select(&self, connection: &Connection, rowid: i64) -> Result<Vec<u8>> {
        let sql = format!("SELECT {} FROM main.{} WHERE rowid = ?1", quoted(&self.column), quoted(&self.table));
        let rows = connection.ask(&sql, &[rowid.into()], |row| Ok(row.bytes(0).map(<[u8]>::to_vec)))?;
        let row = rows.into_iter().next().ok_or_else(gone)?;
        row.ok_or_else(|| Error::shape("expected text or a blob, found another type"))
    }
}

/// There is no such row.
pub fn gone() -> Error {
    Error::new(Kind::Busy, "the record is gone")
}

/// An open blob and the connection that it needs.
pub struct OpenBlob {
    // Dropped before the connection.
    handle: Option<Handle>,
    /// Its own.
    pub connection: Connection,
}

// SAFETY: handle and connection move together, and `&mut self` keeps their use to one thread at a time.
unsafe impl Send for OpenBlob {}

impl OpenBlob {
    /// Nothing is open yet.
    pub fn new(connection: Connection) -> Self {
        Self { handle: None, connection }
    }

    /// Opens the value; its length in bytes.
    pub fn start(&mut self, column: &Column, rowid: i64) -> Result<u64> {
        let handle = Handle::open(&self.connection, column, rowid)?;
        Ok(self.handle.insert(handle).len)
    }

    /// Fills `out` from `offset` of the value.
    pub fn read(&self, out: &mut [u8], offset: u64) -> Proof {
        let handle = self.handle.as_ref().ok_or(Refusal::Moved("the value is not open"))?;
        Ok(handle.read(out, offset)?)
    }
}

/// SQLite's handle on one value. While it is open, so is a read transaction: all pieces come from one state.
pub struct Handle {
    raw: NonNull<ffi::sqlite3_blob>,
    /// Bytes of the value.
    pub len: u64,
}

impl Handle {
    /// Opens the value. The handle must not outlive the connection.
    pub fn open(connection: &Connection, column: &Column, rowid: i64) -> Result<Self> {
        let mut raw = ptr::null_mut();
        // SAFETY: the connection is open; the names are C strings; the handle comes back in `raw`.
        let code = unsafe {
            let (table, column) = (column.c_table.as_ptr(), column.c_column.as_ptr());
            let handle = connection.sqlite().handle();
            ffi::sqlite3_blob_open(handle, c"main".as_ptr(), table, column, rowid, 0, &raw mut raw)
        };
        let Some(raw) = NonNull::new(raw).filter(|_| code == ffi::SQLITE_OK) else {
            return Err(refusal(connection.last_error(code)));
        };
        Ok(Self { raw, len: len(raw) })
    }

    /// Goes to another row of the column, in the same read transaction; a tenth of the cost of opening it. After an
    /// error the handle reads nothing any more.
    pub fn go_to(&mut self, connection: &Connection, rowid: i64) -> Result<()> {
        // SAFETY: an open handle.
        let code = unsafe { ffi::sqlite3_blob_reopen(self.raw.as_ptr(), rowid) };
        if code != ffi::SQLITE_OK {
            return Err(refusal(connection.last_error(code)));
        }
        self.len = len(self.raw);
        Ok(())
    }

    /// The first `most` bytes of the value, all of it where it has no more.
    pub fn read_first(&self, most: u64) -> Result<Vec<u8>> {
        let count = self.len.min(most);
        let too_far = |_| Error::new(Kind::Limit, "a value is larger than SQLite can read");
        let len = c_int::try_from(count).map_err(too_far)?;
        let mut out = Vec::<u8>::with_capacity(count as usize);
        // SAFETY: an open handle, and room for `len` bytes, all of which are written where it returns OK.
        unsafe {
            let code = ffi::sqlite3_blob_read(self.raw.as_ptr(), out.as_mut_ptr().cast(), len, 0);
            if code != ffi::SQLITE_OK {
                return Err(connection::failure(code, None));
            }
            out.set_len(count as usize);
        }
        Ok(out)
    }

    /// Fills `out` from `offset` of the value.
    pub fn read(&self, out: &mut [u8], offset: u64) -> Result<()> {
        let too_far = |_| Error::new(Kind::Limit, "a value is larger than SQLite can read");
        let len = c_int::try_from(out.len()).map_err(too_far)?;
        let offset = c_int::try_from(offset).map_err(too_far)?;
        // SAFETY: an open handle and a buffer of `len` bytes.
        let code = unsafe { ffi::sqlite3_blob_read(self.raw.as_ptr(), out.as_mut_ptr().cast(), len, offset) };
        if code == ffi::SQLITE_OK { Ok(()) } else { Err(connection::failure(code, None)) }
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        // SAFETY: an open handle, not used afterwards.
        unsafe { ffi::sqlite3_blob_close(self.raw.as_ptr()) };
    }
}

fn len(handle: NonNull<ffi::sqlite3_blob>) -> u64 {
    // SAFETY: an open handle.
    let len = unsafe { ffi::sqlite3_blob_bytes(handle.as_ptr()) };
    u64::try_from(len).unwrap_or(0)
}

/// SQLite tells a missing row and a value of another type by the text alone.
fn refusal(error: Error) -> Error {
    match error.what() {
        what if what.starts_with("no such rowid") => gone(),
        what => match what.strip_prefix("cannot open value of type ") {
            Some(kind) => Error::shape(format!("expected text or a blob, found {kind}")),
            None => error,
        },
    }
}
