//! The inner connection: SQLite, bound hand and foot, over the overlay.
#![allow(unsafe_code, reason = "the progress handler and DBCONFIG need the raw handle on hosts older than 3.44")]

use super::database::{Interrupt, Options};
use super::host::unreadable;
use super::row::{Param, Row};
use super::state::{Identity, Proof};
use super::vfs::{self, Overlay};
use crate::error::{Error, Kind, Result};
use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{ErrorCode, OpenFlags, ffi};
use std::ffi::{CStr, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::OnceLock;

/// SQLite asks whether to stop after this many of its instructions: well under a millisecond.
const INSTRUCTIONS: c_int = 2000;

/// Has this SQLite a progress handler? better-sqlite3's is built without: there a long step inside the inner connection
/// ends before an interrupt is seen. The process has one SQLite beneath this library, so it is asked once.
fn can_ask_back(inner: &rusqlite::Connection) -> bool {
    static ANSWER: OnceLock<bool> = OnceLock::new();
    let sql = "SELECT sqlite_compileoption_used('OMIT_PROGRESS_CALLBACK')";
    let ask = || inner.query_row(sql, [], |row| row.get(0)).is_ok_and(|is_omitted: bool| !is_omitted);
    *ANSWER.get_or_init(ask)
}

/// A connection to one store through the overlay.
pub struct Connection {
    // Dropped before the hook that its progress handler points to.
    inner: rusqlite::Connection,
    _interrupt: Option<Box<Interrupt>>,
    /// Is the text of this state UTF-16?
    encoding: Option<(Identity, bool)>,
}

impl Connection {
    /// Opens the store at `path`, which is resolved and a regular file. Reads nothing yet.
    pub fn open(path: &Path, options: &Options) -> Result<Self> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let opened = rusqlite::Connection::open_with_flags_and_vfs(path, flags, vfs::name()?);
        let inner = opened.map_err(|what| match what.sqlite_error_code() {
            Some(ErrorCode::CannotOpen) => unreadable(path),
            _ => error(what),
        })?;
        let interrupt = options.interrupt.clone().map(Box::new);
        if let Some(hook) = &interrupt
            && can_ask_back(&inner)
        {
            let hook: *const Interrupt = &raw const **hook;
            // SAFETY: the handle is open. The hook is boxed, so its address stays, and outlives the connection.
            unsafe {
                let argument = hook.cast_mut().cast();
                ffi::sqlite3_progress_handler(inner.handle(), INSTRUCTIONS, Some(should_stop), argument);
            }
        }
        let connection = Self { inner, _interrupt: interrupt, encoding: None };
        connection.bind(options)?;
        Ok(connection)
    }

    /// Takes away what a hostile store could use. None of this reads the store.
    fn bind(&self, options: &Options) -> Result<()> {
        self.inner.set_limit(Limit::SQLITE_LIMIT_LENGTH, options.max_value_bytes).map_err(error)?;
        for (setting, is_on) in
            [(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true), (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)]
        {
            self.inner.set_db_config(setting, is_on).map_err(error)?;
        }
        // SAFETY: the handle is open; this setting takes an int and a pointer that may be null.
        unsafe {
            let nowhere = std::ptr::null_mut::<c_int>();
            ffi::sqlite3_db_config(self.inner.handle(), ffi::SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, nowhere);
        }
        self.inner
            .execute_batch("PRAGMA temp_store=memory; PRAGMA query_only=1; PRAGMA cell_size_check=1")
            .map_err(error)
    }

    /// Keeps so many KiB of pages: what is read once would only take new memory. This reads the schema, so it belongs
    /// into a question, and what goes wrong the question itself will meet.
    pub fn keep_few_pages(&self, kib: u32) {
        let _ = self.inner.execute_batch(&format!("PRAGMA cache_size=-{kib}"));
    }

    /// All that `read` makes of the rows; nothing is proven yet.
    pub fn ask<T>(
        &self,
        sql: &str,
        params: &[Param<'_>],
        mut read: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut statement = self.inner.prepare_cached(sql).map_err(error)?;
        let mut rows = statement.query(rusqlite::params_from_iter(params)).map_err(error)?;
        let mut answer = Vec::new();
        while let Some(row) = rows.next().map_err(error)? {
            answer.push(read(&Row(row))?);
        }
        Ok(answer)
    }

    /// Does the store keep its text in UTF-16? Asked once for each of its states; inside a read.
    pub fn is_utf16(&mut self) -> Proof<bool> {
        let state = self.overlay()?.identity()?;
        if let Some((known, is_utf16)) = &self.encoding
            && state.as_ref() == Some(known)
        {
            return Ok(*is_utf16);
        }
        let encoding = self.ask("PRAGMA encoding", &[], |row| Ok(row.text(0).is_some_and(|it| it.contains("16"))))?;
        let is_utf16 = encoding.contains(&true);
        self.encoding = state.map(|state| (state, is_utf16));
        Ok(is_utf16)
    }

    /// What SQLite says about the call that just returned `code`.
    pub fn last_error(&self, code: c_int) -> Error {
        // SAFETY: the handle is open; the text is a C string that lasts until the next call.
        let text = unsafe { CStr::from_ptr(ffi::sqlite3_errmsg(self.inner.handle())) };
        failure(code, Some(text.to_string_lossy().into_owned()))
    }

    /// SQLite's own connection.
    pub fn sqlite(&self) -> &rusqlite::Connection {
        &self.inner
    }

    /// What stands behind it.
    pub fn overlay(&mut self) -> Result<&mut Overlay> {
        vfs::overlay(&mut self.inner)
    }
}

unsafe extern "C" fn should_stop(hook: *mut c_void) -> c_int {
    // SAFETY: the argument that `open` gave, alive as long as the connection.
    let hook = unsafe { &*hook.cast::<Interrupt>() };
    c_int::from(catch_unwind(AssertUnwindSafe(|| hook())).unwrap_or(true))
}

/// SQLite's failure in our words.
pub fn error(error: rusqlite::Error) -> Error {
    let rusqlite::Error::SqliteFailure(code, text) = &error else {
        return Error::new(Kind::Sqlite, error.to_string());
    };
    match code.code {
        ErrorCode::NotADatabase => Error::new(Kind::Sqlite, "not a database, or an encrypted one"),
        ErrorCode::TooBig => Error::limit("a value is larger than the limit", "max_value_bytes"),
        ErrorCode::OperationInterrupted => interrupted(),
        _ => Error::new(Kind::Sqlite, text.clone().unwrap_or_else(|| code.to_string())),
    }
}

/// A result code in our words.
pub fn failure(code: c_int, text: Option<String>) -> Error {
    error(rusqlite::Error::SqliteFailure(ffi::Error::new(code), text))
}

/// The user stopped it.
pub fn interrupted() -> Error {
    Error::new(Kind::Busy, "interrupted")
}
