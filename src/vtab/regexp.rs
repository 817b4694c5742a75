//! `regexp(pattern, text)`: what the `REGEXP` operator calls, for hosts that have none of their own.

use crate::table::Session;
use regex::Regex;
use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::ValueRef;
use rusqlite::vtab::VTabConnection;
use rusqlite::{Connection, Error, ErrorCode, PrepFlags, Result};
use std::ffi::c_uint;
use std::sync::{Arc, OnceLock};

/// Whether a connection was offered the function.
#[derive(Default)]
pub struct Offered(OnceLock<()>);

/// Adds the function when a statement names one of the tables for the first time, in time for that statement.
///
/// Loading must ask the connection nothing: Python holds its global lock meanwhile, and a statement waits for the mutex
/// of a shared cache, whose holder may wait for that lock in a progress handler. Preparing a statement holds no lock of
/// the host's.
pub fn offer(db: &mut VTabConnection, session: &Session) {
    session.slot::<Offered>().0.get_or_init(|| {
        // SAFETY: the connection is open while it prepares a statement, and does not close with this view of it.
        let Ok(db) = (unsafe { Connection::from_handle(db.handle()) }) else { return };
        // Without it a statement that wants it says that there is no such function.
        let _ = register(&db);
    });
}

/// Adds the function, unless the host has one: its own dialect stays.
fn register(db: &Connection) -> Result<()> {
    if is_known(db) {
        return Ok(());
    }
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC | FunctionFlags::SQLITE_INNOCUOUS;
    db.create_scalar_function("regexp", 2, flags, |context| {
        let pattern = compiled(context)?;
        Ok(match (pattern, context.get_raw(1)) {
            (Some(pattern), ValueRef::Text(text)) => Some(pattern.is_match(&String::from_utf8_lossy(text))),
            _ => None,
        })
    })
}

/// What does not compile is no error in the host's log: since 3.48.
const DONT_LOG: c_uint = 0x10;

/// Has the host one that takes two arguments?
fn is_known(db: &Connection) -> bool {
    if rusqlite::version_number() >= 3_048_000 {
        // Without parameters, of which a host may allow none.
        return match db.prepare_with_flags("SELECT regexp(NULL, NULL)", PrepFlags::from_bits_retain(DONT_LOG)) {
            Ok(_) => true,
            Err(error) => error.sqlite_error_code() == Some(ErrorCode::AuthorizationForStatementDenied),
        };
    }
    // The list of all functions takes twenty times as long, and reads the main file, which may be locked or no
    // database at all.
    let listed = "SELECT EXISTS (SELECT 1 FROM pragma_function_list WHERE name = 'regexp' AND narg IN (2, -1))";
    db.query_row(listed, [], |row| row.get(0)).unwrap_or(false)
}

/// The pattern, compiled once per statement. NULL for a NULL pattern.
fn compiled(context: &Context<'_>) -> Result<Option<Arc<Regex>>> {
    if context.get_raw(0) == ValueRef::Null {
        return Ok(None);
    }
    let compile = |value: ValueRef<'_>| -> Result<Regex> {
        let pattern = value.as_str().map_err(|error| Error::UserFunctionError(error.into()))?;
        Regex::new(pattern).map_err(|error| Error::UserFunctionError(error.into()))
    };
    context.get_or_create_aux(0, compile).map(Some)
}

#[cfg(test)]
#[cfg(feature = "bundled")]
mod tests {
    use super::*;
    use rusqlite::limits::Limit;

    fn asked(db: &Connection, sql: &str) -> Result<Option<bool>> {
        db.query_row(sql, [], |row| row.get(0))
    }

    #[test]
    fn a_main_file_that_is_no_database_does_not_fail_the_loading() {
        let path = std::env::temp_dir().join(format!("agent-history-no-database-{}", std::process::id()));
        std::fs::write(&path, "no database, but longer than the header of one: ".repeat(20)).unwrap();
        let db = Connection::open(&path).unwrap();
        crate::register(&db).unwrap();
        let error = asked(&db, "SELECT count(*) > 0 FROM agent_columns").unwrap_err().to_string();
        std::fs::remove_file(&path).unwrap();
        assert!(error.contains("file is not a database"), "{error}");
    }

    #[test]
    fn it_matches_as_the_operator_does() {
        let db = Connection::open_in_memory().unwrap();
        register(&db).unwrap();
        for (sql, want) in [
            ("SELECT 'cargo test -q' REGEXP '^cargo (test|build)'", Some(true)),
            ("SELECT regexp('^CARGO', 'cargo test')", Some(false)),
            ("SELECT regexp('(?i)^CARGO', 'cargo test')", Some(true)),
            ("SELECT regexp('a', NULL)", None),
            ("SELECT regexp(NULL, 'a')", None),
        ] {
            assert_eq!(asked(&db, sql).unwrap(), want, "{sql}");
        }
        let error = asked(&db, "SELECT regexp('(', 'a')").unwrap_err().to_string();
        assert!(error.contains("unclosed group"), "{error}");
    }

    #[test]
    fn a_host_keeps_its_own() {
        let db = Connection::open_in_memory().unwrap();
        db.create_scalar_function("regexp", 2, FunctionFlags::SQLITE_UTF8, |_| Ok(Some(true))).unwrap();
        register(&db).unwrap();
        assert_eq!(asked(&db, "SELECT regexp('a', 'b')").unwrap(), Some(true));
    }

    #[test]
    fn a_host_that_binds_nothing_keeps_its_own() {
        let db = Connection::open_in_memory().unwrap();
        db.create_scalar_function("regexp", 2, FunctionFlags::SQLITE_UTF8, |_| Ok(Some(true))).unwrap();
        db.set_limit(Limit::SQLITE_LIMIT_VARIABLE_NUMBER, 0).unwrap();
        register(&db).unwrap();
        assert_eq!(asked(&db, "SELECT regexp('a', 'b')").unwrap(), Some(true));
    }

    #[test]
    fn only_one_of_two_arguments_counts() {
        let flags = FunctionFlags::SQLITE_UTF8;
        for (arguments, want) in [(-1, true), (1, false), (3, false)] {
            let db = Connection::open_in_memory().unwrap();
            db.create_scalar_function("regexp", arguments, flags, |_| Ok(Some(true))).unwrap();
            register(&db).unwrap();
            assert_eq!(asked(&db, "SELECT regexp('a', 'b')").unwrap(), Some(want), "{arguments}");
        }
    }
}
