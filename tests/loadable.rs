//! The golden files once more, through the library as it ships: loaded by the `sqlite3` program and by Python, each
//! statement must answer row for row what it answers in this process.
//!
//! Without such a host the test says so and passes; with `REQUIRE_HOSTS=1` (CI) it fails.

mod support;

use rusqlite::Connection;
use std::io::Write as _;
use support::Result;
use support::hosts::{self, Host};
use support::rows::{Answer, ask};
use support::script::{Golden, is_plan};

#[test]
fn hosts_answer_as_this_process_does() -> Result<()> {
    let hosts = hosts()?;
    if hosts.is_empty() {
        return Ok(());
    }
    let library = hosts::library()?;
    let mut failures = Vec::new();
    for golden in Golden::all(&std::env::var("GOLDEN").unwrap_or_default())? {
        if let Some(why) = &golden.in_process_only {
            println!("{}, in process only: {why}", golden.path.display());
            continue;
        }
        let statements = golden.statements.iter().map(|statement| statement.sql.as_str());
        let statements: Vec<&str> = statements.filter(|sql| !is_plan(sql)).collect();
        let db = Connection::open_in_memory()?;
        agent_history::register(&db)?;
        let want: Vec<Answer> = statements.iter().map(|sql| ask(&db, sql)).collect();
        for host in &hosts {
            let got = host.run(&library, &statements).map_err(|e| format!("{}: {e}", golden.path.display()))?;
            for (sql, (want, got)) in statements.iter().zip(want.iter().zip(&got)) {
                let want = hosts::as_seen_by(host, want);
                if want != *got {
                    failures.push(format!("{}, {host:?}:\n{sql}\nwant {want:?}\ngot  {got:?}", golden.path.display()));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
    Ok(())
}

/// A function of ours that a running statement of the host's calls cannot be made; by then there are tables.
const FAILED_LOAD: &str = "
import sqlite3, sys
db = sqlite3.connect(':memory:')
db.enable_load_extension(True)
db.create_function('zed_document', 2, lambda data, data_type: 7)
try:
    db.execute('SELECT zed_document(1, 2), load_extension(?)', (sys.argv[1],)).fetchall()
except sqlite3.OperationalError as error:
    print(error)
print(db.execute('SELECT count(*) > 0 FROM agent_columns').fetchall())
db.close()
";

#[test]
#[cfg(unix)]
fn a_host_outlives_a_load_that_fails() -> Result<()> {
    let Some(mut python) = python()? else { return Ok(()) };
    let output = python.arg("-c").arg(FAILED_LOAD).arg(hosts::library()?).output()?;
    assert!(output.status.success(), "{:?} {}", output.status, String::from_utf8_lossy(&output.stderr));
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "error during initialization: unable to delete/modify user-function due to active statements\n[(1,)]\n"
    );
    Ok(())
}

/// Connections of one shared cache: while one reads and asks a progress handler, which is Python's, another loads the
/// library, for which Python does not let go of its lock. Datasette does both.
const SHARED_CACHE: &str = "
import faulthandler, sqlite3, sys, threading, time
faulthandler.dump_traceback_later(60, exit=True)
uri = 'file:shared?mode=memory&cache=shared'
reader = sqlite3.connect(uri, uri=True, check_same_thread=False)
reader.executescript('CREATE TABLE t (x); INSERT INTO t SELECT value FROM json_each(json_array(1, 2, 3, 4, 5, 6, 7, 8))')
others = [sqlite3.connect(uri, uri=True) for _ in range(20)]
is_over = False
reader.set_progress_handler(lambda: int(is_over), 10)
def read():
    try:
        reader.execute('SELECT count(*) FROM t a, t b, t c, t d, t e, t f, t g, t h, t i, t j').fetchall()
    except sqlite3.OperationalError:
        pass
thread = threading.Thread(target=read)
thread.start()
time.sleep(0.2)
for db in others:
    db.enable_load_extension(True)
    db.load_extension(sys.argv[1])
is_over = True
thread.join()
print(others[0].execute(\"SELECT 'ab' REGEXP '^a' FROM agent_columns LIMIT 1\").fetchall())
faulthandler.cancel_dump_traceback_later()
";

#[test]
#[cfg(unix)]
fn loading_waits_for_nobody() -> Result<()> {
    let Some(mut python) = python()? else { return Ok(()) };
    let output = python.arg("-c").arg(SHARED_CACHE).arg(hosts::library()?).output()?;
    assert_eq!(String::from_utf8_lossy(&output.stdout), "[(1,)]\n", "{}", String::from_utf8_lossy(&output.stderr));
    Ok(())
}

/// Threads, forks and interrupts as a host has them: `tests/support/threads.py` says what is done. It is Python's work,
/// since its `sqlite3` calls the library as any program would, from any thread.
#[test]
#[cfg(unix)]
fn a_host_may_have_threads_and_fork() -> Result<()> {
    let Some(mut python) = python()? else { return Ok(()) };
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("threads");
    std::fs::create_dir_all(&folder)?;
    python.arg(support::repository().join("tests/support/threads.py")).arg(hosts::library()?);
    let output = python.arg(support::fixtures::home("demo/home")?).arg(&folder).output()?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    println!("{said}");
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(said.lines().count(), 10, "{said}");
    Ok(())
}

/// A command of the Python that loads the library, where there is one.
#[cfg(unix)]
fn python() -> Result<Option<std::process::Command>> {
    let python =
        hosts()?.into_iter().find_map(|host| if let Host::Python(python) = host { Some(python) } else { None });
    Ok(python.map(std::process::Command::new))
}

/// The hosts of this machine; what is missing is said.
fn hosts() -> Result<Vec<Host>> {
    let mut found = Vec::new();
    for host in [Host::sqlite3(), Host::python()] {
        match host {
            Ok(host) => found.push(host),
            Err(why) if std::env::var_os("REQUIRE_HOSTS").is_some() => return Err(why.into()),
            // Straight to stderr: what a test that passes prints is not shown.
            Err(why) => writeln!(std::io::stderr(), "NOT TESTED in a host that loads the library: {why}")?,
        }
    }
    Ok(found)
}
