//! How the host says that a statement is to end: `sqlite3_interrupt`, or a progress handler that returns other than 0.
#![allow(unsafe_code, reason = "only the raw handle can be asked")]

use crate::interrupt;
use crate::table::Session;
use rusqlite::{Connection, ffi};
use std::cell::Cell;
use std::ptr;
use std::time::{Duration, Instant};

/// A progress handler is called every N of SQLite's instructions. While a table's callback works SQLite executes
/// none, so the callback lets it execute some: more than the usual N (1,000 in Datasette), in about 0.2 ms.
const SOME_INSTRUCTIONS: &std::ffi::CStr =
    c"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1000) SELECT count(*) FROM n";

/// So often: half a hundredth of the time.
const BETWEEN: Duration = Duration::from_millis(50);

/// `sqlite3_is_interrupted` is as new as this. On older hosts the instructions find out as well.
const CAN_BE_ASKED: i32 = 3_041_000;

thread_local! {
    /// When this thread let SQLite execute something last.
    static LAST: Cell<Option<Instant>> = const { Cell::new(None) };
    /// How often it was asked. Every eighth time it looks at the clock, which costs more than the rest.
    static ASKED: Cell<u8> = const { Cell::new(0) };
}

/// A session that sees what the host wants to end.
pub fn session(db: &Connection) -> Session {
    // SAFETY: only the address is taken.
    let handle = unsafe { db.handle() } as usize;
    let can_be_asked = rusqlite::version_number() >= CAN_BE_ASKED;
    Session::new(move || {
        let db = handle as *mut ffi::sqlite3;
        // SAFETY: SQLite frees a connection's modules, and with them this session, before the connection itself.
        let is_interrupted = can_be_asked && unsafe { ffi::sqlite3_is_interrupted(db) != 0 };
        // Threads of our own are none of the host's: they leave the connection alone.
        is_interrupted || (interrupt::is_within() && is_time() && is_refused(db))
    })
}

/// Is it long since the last time? The first look starts the clock.
fn is_time() -> bool {
    ASKED.set(ASKED.get().wrapping_add(1));
    if !ASKED.get().is_multiple_of(8) {
        return false;
    }
    let now = Instant::now();
    match LAST.get() {
        Some(last) if now.duration_since(last) < BETWEEN => false,
        last => {
            LAST.set(Some(now));
            last.is_some()
        }
    }
}

/// Lets SQLite execute some instructions. Whatever else may fail there, an authorizer's no for example, is no answer.
fn is_refused(db: *mut ffi::sqlite3) -> bool {
    let mut statement = ptr::null_mut();
    // SAFETY: called in a callback of this connection, in its thread; the connection is open.
    unsafe {
        let mut code = ffi::sqlite3_prepare_v2(db, SOME_INSTRUCTIONS.as_ptr(), -1, &raw mut statement, ptr::null_mut());
        if code == ffi::SQLITE_OK {
            code = ffi::sqlite3_step(statement);
        }
        ffi::sqlite3_finalize(statement);
        code & 0xff == ffi::SQLITE_INTERRUPT
    }
}
