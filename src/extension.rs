//! The symbol that SQLite looks up, and the shim for hosts older than the bindings.
//!
//! rusqlite's loadable bindings are made from SQLite 3.45.3. On an older host it does not refuse: it aborts while it
//! words the refusal. The table of routines that the host passes is append-only and all pointers, so a copy of the
//! host's table, padded with nulls to the size that the bindings expect, is sound: a routine that is not there panics
//! when it is called, and the guards around the callbacks turn that into an error.
#![allow(unsafe_code, reason = "a C entry point, and a copy of a C table of pointers")]

use crate::register;
use rusqlite::{Connection, Result, ffi};
use std::ffi::{CStr, CString, c_char, c_int};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// The oldest SQLite that has every routine we call: `deserialize`, `vtab_in` and `error_offset` among them.
pub const FLOOR: c_int = 3_039_000;

/// SQLite version, and how many pointers its table of routines has.
const TABLE_SIZES: [(c_int, usize); 5] =
    [(3_039_000, 265), (3_040_000, 266), (3_041_000, 267), (3_043_000, 268), (3_044_000, 270)];

/// SQLite's entry point: `.load target/release/libagent_history`.
///
/// # Safety
/// SQLite calls it with a live connection, a place for a message, and its table of routines.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sqlite3_agenthistory_init(
    db: *mut ffi::sqlite3,
    message: *mut *mut c_char,
    api: *mut ffi::sqlite3_api_routines,
) -> c_int {
    // SAFETY: SQLite passes a pointer to its table of routines, or a host so odd that we refuse it.
    let Some(host) = (unsafe { api.as_ref() }) else { return ffi::SQLITE_ERROR };
    let Some(version) = host.libversion_number else { return ffi::SQLITE_ERROR };
    // SAFETY: a routine of the host's.
    let version = unsafe { version() };
    if version < FLOOR {
        // SAFETY: `message` is SQLite's place for a message, allocated by its own mprintf.
        unsafe { refuse(version, host, message) };
        return ffi::SQLITE_ERROR;
    }
    if !is_the_first_host(host) {
        // SAFETY: as above.
        unsafe {
            tell(host, message, c"agent-history already serves another SQLite of this process; a copy of the library under another path can serve this one")
        };
        return ffi::SQLITE_ERROR;
    }
    if version >= ffi::SQLITE_VERSION_NUMBER {
        // SAFETY: the arguments are SQLite's own.
        return unsafe { Connection::extension_init2(db, message, api, init) };
    }
    // SAFETY: `host` is the table of a SQLite of this version.
    match unsafe { padded_table(host, version) } {
        // SAFETY: the routines are set up, and `db` is the host's connection.
        Ok(()) => unsafe { finish(Connection::from_handle(db).and_then(init), host, message) },
        Err(code) => code,
    }
}

/// The bindings keep one table of routines for the whole process. Two SQLites in one process (Python's own and
/// apsw's, say) have each their own; calling one with the other's connection gives wrong answers.
fn is_the_first_host(host: &ffi::sqlite3_api_routines) -> bool {
    static FIRST: OnceLock<Option<usize>> = OnceLock::new();
    let mark = host.prepare_v2.map(|routine| routine as usize);
    *FIRST.get_or_init(|| mark) == mark
}

/// Stays resident: a virtual file system and running scans must not lose their code.
fn init(db: Connection) -> Result<bool> {
    stay();
    register(&db)?;
    Ok(true)
}

/// Keeps the library where it is even if what follows fails: SQLite would unload it then, and call into the void for
/// each table that is registered by that time.
fn stay() {
    #[cfg(unix)]
    // SAFETY: an address in this library, and a place for what is known of it; the name is the loader's own.
    unsafe {
        let mut known = std::mem::MaybeUninit::<libc::Dl_info>::zeroed();
        let is_known = libc::dladdr(sqlite3_agenthistory_init as *const libc::c_void, known.as_mut_ptr()) != 0;
        let name = known.assume_init().dli_fname;
        if is_known && !name.is_null() {
            libc::dlopen(name, libc::RTLD_LAZY | libc::RTLD_NOLOAD | libc::RTLD_NODELETE);
        }
    }
}

unsafe fn refuse(version: c_int, host: &ffi::sqlite3_api_routines, message: *mut *mut c_char) {
    let (Some(mprintf), false) = (host.mprintf, message.is_null()) else { return };
    let format = c"agent-history needs SQLite %d.%d or newer, this is %d.%d.%d";
    // SAFETY: five integers for five %d.
    unsafe {
        *message = mprintf(
            format.as_ptr(),
            FLOOR / 1_000_000,
            FLOOR / 1000 % 1000,
            version / 1_000_000,
            version / 1000 % 1000,
            version % 1000,
        );
    }
}

/// While set, [`version_number`] answers what the bindings were made from: rusqlite asks once, during init.
static INITIALISING: AtomicBool = AtomicBool::new(false);
static HOST_VERSION: OnceLock<c_int> = OnceLock::new();

unsafe extern "C" fn version_number() -> c_int {
    match HOST_VERSION.get() {
        Some(version) if !INITIALISING.load(Ordering::Acquire) => *version,
        _ => ffi::SQLITE_VERSION_NUMBER,
    }
}

/// Hands rusqlite a table of the size that it expects, once per process.
unsafe fn padded_table(host: &ffi::sqlite3_api_routines, version: c_int) -> Result<(), c_int> {
    static DONE: OnceLock<Result<(), c_int>> = OnceLock::new();
    *DONE.get_or_init(|| {
        let want = size_of::<ffi::sqlite3_api_routines>() / size_of::<usize>();
        let have = TABLE_SIZES.iter().rev().find(|(since, _)| version >= *since).map_or(0, |(_, size)| *size).min(want);
        let words = Box::leak(vec![0_usize; want].into_boxed_slice());
        let table = words.as_mut_ptr().cast::<ffi::sqlite3_api_routines>();
        HOST_VERSION.get_or_init(|| version);
        // SAFETY: the host's table has `have` pointers by its version, ours room for as many; both are all pointers.
        unsafe {
            std::ptr::from_ref(host).cast::<usize>().copy_to_nonoverlapping(words.as_mut_ptr(), have);
            (*table).libversion_number = Some(version_number);
        }
        INITIALISING.store(true, Ordering::Release);
        // SAFETY: a table of the size that the bindings expect, which lives for ever.
        let outcome = unsafe { ffi::rusqlite_extension_init2(table) };
        INITIALISING.store(false, Ordering::Release);
        outcome.map_err(|_| ffi::SQLITE_ERROR)
    })
}

/// The outcome of init as SQLite's code, with the words of an error.
unsafe fn finish(outcome: Result<bool>, host: &ffi::sqlite3_api_routines, message: *mut *mut c_char) -> c_int {
    let error = match outcome {
        Ok(_) => return ffi::SQLITE_OK_LOAD_PERMANENTLY,
        Err(error) => error.to_string().replace('\0', " "),
    };
    if let Ok(words) = CString::new(error) {
        // SAFETY: as this function's.
        unsafe { tell(host, message, &words) };
    }
    ffi::SQLITE_ERROR
}

/// Puts words where SQLite looks for an error's message.
unsafe fn tell(host: &ffi::sqlite3_api_routines, message: *mut *mut c_char, words: &CStr) {
    if let (Some(mprintf), false) = (host.mprintf, message.is_null()) {
        // SAFETY: one string for one %s; SQLite frees what its own mprintf made.
        unsafe { *message = mprintf(c"%s".as_ptr(), words.as_ptr()) };
    }
}
