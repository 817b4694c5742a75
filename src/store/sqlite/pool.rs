//! Databases that stay open between scans: a join asks the same store once for every row of its other side.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use super::{Database, Options};
use crate::error::Result;
use crate::table::{Session, Setting};

/// More stores than a home has; a root of many homes opens them anew.
const MAX_OPEN: usize = 16;

#[derive(Default)]
struct Pool(Mutex<HashMap<(OsString, i32), Database>>);

/// Asks the database at `path`, which is opened where the session does not have it open.
///
/// Interrupting the session's statement ends the question, and no value is larger than its setting allows.
///
/// # Errors
/// Those of [`Database::open`], and what `ask` returns.
pub fn with<T>(session: &Arc<Session>, path: &Path, ask: impl FnOnce(&mut Database) -> Result<T>) -> Result<T> {
    let pool = session.slot::<Pool>();
    let max_value_bytes = i32::try_from(session.setting(Setting::MaxValueBytes)).unwrap_or(i32::MAX).max(1);
    let key = (path.as_os_str().to_owned(), max_value_bytes);
    // Taken out while it is asked: another scan of the session then opens one of its own.
    let taken = pool.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&key);
    let mut database = match taken {
        Some(database) => database,
        None => Database::open_with(path, options(session, max_value_bytes))?,
    };
    let answer = ask(&mut database);
    let mut open = pool.0.lock().unwrap_or_else(PoisonError::into_inner);
    if open.len() >= MAX_OPEN {
        open.clear();
    }
    open.insert(key, database);
    answer
}

fn options(session: &Arc<Session>, max_value_bytes: i32) -> Options {
    // The session holds the pool: a strong reference back would keep both for ever.
    let session = Arc::downgrade(session);
    let interrupt = move || session.upgrade().is_some_and(|session| session.is_interrupted());
    Options { max_value_bytes, interrupt: Some(Arc::new(interrupt)) }
}

#[cfg(test)]
#[cfg(feature = "bundled")]
mod tests {
    use super::*;
    use crate::error::Kind;

    fn count(session: &Arc<Session>, path: &Path) -> Result<Vec<i64>> {
        with(session, path, |db| db.query("SELECT count(*) FROM t", &[], |row| Ok(row.integer(0).unwrap())))
    }

    #[test]
    fn a_database_stays_open_and_sees_what_is_new() {
        let path = std::env::temp_dir().join(format!("agent-history-pool-{}.db", std::process::id()));
        let _ = std::fs::remove_file(&path);
        let writer = rusqlite::Connection::open(&path).unwrap();
        writer.execute_batch("CREATE TABLE t(a); INSERT INTO t VALUES (1)").unwrap();
        let session = Arc::new(Session::default());
        assert_eq!(count(&session, &path), Ok(vec![1]));
        writer.execute_batch("INSERT INTO t VALUES (2)").unwrap();
        assert_eq!(count(&session, &path), Ok(vec![2]));
        assert_eq!(session.slot::<Pool>().0.lock().unwrap().len(), 1);
        session.set(Setting::MaxValueBytes, 40);
        let long = |db: &mut Database| db.query("SELECT printf('%100d', 1)", &[], |_| Ok(()));
        assert_eq!(with(&session, &path, long).unwrap_err().kind(), Kind::Limit);
        drop(writer);
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn an_interrupt_reaches_the_store() {
        let path = std::env::temp_dir().join(format!("agent-history-pool-interrupt-{}.db", std::process::id()));
        let _ = std::fs::remove_file(&path);
        rusqlite::Connection::open(&path).unwrap().execute_batch("CREATE TABLE t(a)").unwrap();
        let stopped = Arc::new(std::sync::atomic::AtomicBool::new(false));
        let asked = Arc::clone(&stopped);
        let session = Arc::new(Session::new(move || asked.load(std::sync::atomic::Ordering::Relaxed)));
        assert_eq!(count(&session, &path), Ok(vec![0]));
        stopped.store(true, std::sync::atomic::Ordering::Relaxed);
        let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n";
        let error = with(&session, &path, |db| db.query(endless, &[], |_| Ok(()))).unwrap_err();
        assert_eq!(error.what(), "interrupted");
        std::fs::remove_file(&path).unwrap();
    }
}
