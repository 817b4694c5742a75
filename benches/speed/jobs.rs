//! The jobs: each makes its own connection, and gives how long its question took.

use super::Result;
use super::ask::{self, Counts, Question, ask, connection};
use super::clock::{Took, time, timed};
use super::functions;
use super::python::{self, Script};
use super::stores::Stores;
use std::path::Path;

pub const COUNT: &str = "SELECT turn_type, count(*) FROM zed_messages(?1) GROUP BY 1";
pub const COLUMNS: &str = "SELECT agent, session_id, parent_session_id, message_index, item_index, message_id, turn_type, \
     kind, is_synthetic, timestamp_utc, timestamp_basis, project_path, git_branch, model, tool_name, tool_use_id, is_error, \
     text, uri, source_path, source_record, source_pointer, error FROM zed_messages(?1)";
pub const ABSENT: &str = "SELECT count(*) FROM zed_messages(?1) WHERE text LIKE '%zyzzyva quotient%'";
/// The same question in a form that no scan hears of.
const UNHEARD: &str = "SELECT count(*) FROM zed_messages(?1) WHERE NOT text NOT LIKE '%zyzzyva quotient%'";
pub const GIANT: &str = "SELECT text FROM zed_messages(?1)";
pub const CODY_COUNT: &str = "SELECT turn_type, count(*) FROM cody_messages(?1) GROUP BY 1";
pub const CODY_COLUMNS: &str = "SELECT text FROM cody_messages(?1)";
const LIST: &str = "SELECT session_id, title, updated_at, blob_bytes FROM zed_threads(?1)";
const NEWEST: &str = "SELECT session_id, turn_type, text FROM zed_messages(?1) WHERE session_id IN \
     (SELECT session_id FROM zed_threads(?1) ORDER BY updated_at DESC LIMIT 10)";
const FIRST: &str = "SELECT session_id, turn_type, text FROM zed_messages(?1) WHERE message_index = 0";
const JOIN: &str = "SELECT count(*) FROM zed_messages(?1) AS a JOIN zed_messages(?1) AS b \
     ON b.session_id = a.session_id AND b.tool_use_id = a.tool_use_id WHERE a.kind = 'tool_use' AND b.kind = 'tool_result'";
/// Sessions that are asked one by one.
pub const SESSIONS: usize = 20;

/// A job's name, and the job.
pub type Job<'a> = (&'static str, Box<dyn Fn() -> Result<Took> + 'a>);

fn text(path: &Path) -> &str {
    path.to_str().unwrap_or_default()
}

/// A statement on a fresh connection.
fn fresh<'a>(sql: &'static str, store: &'a Path, threads: i64) -> Box<dyn Fn() -> Result<Took> + 'a> {
    Box::new(move || {
        let db = connection(threads, None)?;
        time(|| ask(&db, Question { sql, parameter: text(store) }))
    })
}

/// What the tables count. Whatever they are compared with must count the same.
pub struct Expected {
    zed: Counts,
    cody: Counts,
}

impl Expected {
    /// Asks the tables.
    pub fn of(stores: &Stores) -> Result<Self> {
        let db = connection(0, None)?;
        let counts = |sql, store| ask::counts(&db, sql, [text(store)]);
        Ok(Self { zed: counts(COUNT, &stores.usual)?, cody: counts(CODY_COUNT, &stores.cody)? })
    }
}

/// Another way to an answer, which must be ours.
fn other<'a>(
    expected: &'a Counts,
    way: impl Fn() -> Result<(Took, Counts)> + 'a,
) -> Box<dyn Fn() -> Result<Took> + 'a> {
    Box::new(move || {
        let (took, counted) = way()?;
        if counted == *expected { Ok(took) } else { Err(format!("{counted:?}, where we count {expected:?}").into()) }
    })
}

/// All that is run in turns.
pub fn all<'a>(stores: &'a Stores, expected: &'a Expected) -> Vec<Job<'a>> {
    let Stores { usual, grown, light, joined, giant, cody, .. } = stores;
    let mut all: Vec<Job<'a>> = vec![
        ("floor", Box::new(|| time(|| ask::inflate(usual)))),
        ("count, 1 thread", fresh(COUNT, usual, 0)),
        ("count, 2 threads", fresh(COUNT, usual, 1)),
        ("columns, 1 thread", fresh(COLUMNS, usual, 0)),
        ("columns, 2 threads", fresh(COLUMNS, usual, 1)),
        ("everything, 1 thread", fresh("SELECT * FROM zed_messages(?1)", usual, 0)),
        ("absent, 1 thread", fresh(ABSENT, usual, 0)),
        ("absent, unheard", fresh(UNHEARD, usual, 0)),
        ("count again", Box::new(|| again(usual, COUNT))),
        ("one session", Box::new(|| one_session(usual))),
        ("session list", fresh(LIST, usual, 0)),
        ("session list, light", fresh(LIST, light, 0)),
        ("newest", fresh(NEWEST, usual, 0)),
        ("first messages", fresh(FIRST, usual, 0)),
        (
            "first row, giant",
            Box::new(|| first_row("SELECT text FROM zed_messages(?1) WHERE session_id = ?2", giant, &stores.giant_id)),
        ),
        ("first row, Cody", Box::new(|| first_row("SELECT text FROM cody_messages(?1) WHERE ?2 <> ''", cody, "-"))),
        ("Cody floor", Box::new(|| time(|| ask::read_value(cody)))),
        ("Cody count, 1 thread", fresh(CODY_COUNT, cody, 0)),
        ("Cody count, 2 threads", fresh(CODY_COUNT, cody, 1)),
        ("Cody text", fresh(CODY_COLUMNS, cody, 0)),
        ("Cody count again", Box::new(|| again(cody, CODY_COUNT))),
        ("join", Box::new(|| join(joined, None))),
        ("join, no cache", Box::new(|| join(joined, Some(0)))),
        ("grown floor", Box::new(|| time(|| ask::inflate(grown)))),
        ("grown count, 1 thread", fresh(COUNT, grown, 0)),
        ("json_each", other(&expected.zed, || timed(|| functions::each(usual)))),
    ];
    if python::is_there() {
        all.extend([
            ("Python, json", other(&expected.zed, || python::run(Script::Threads, usual, "json"))),
            ("Python, orjson", other(&expected.zed, || python::run(Script::Threads, usual, "orjson"))),
            ("Python, json, Cody", other(&expected.cody, || python::run(Script::Chats, cody, "json"))),
            ("Python, orjson, Cody", other(&expected.cody, || python::run(Script::Chats, cody, "orjson"))),
        ]);
    }
    all
}

/// The second time on one connection.
fn again(store: &Path, sql: &'static str) -> Result<Took> {
    let db = connection(0, None)?;
    let question = Question { sql, parameter: text(store) };
    ask(&db, question)?;
    time(|| ask(&db, question))
}

fn join(store: &Path, cache: Option<i64>) -> Result<Took> {
    let db = connection(0, cache)?;
    time(|| ask(&db, Question { sql: JOIN, parameter: text(store) }))
}

/// Sessions from all over the store, one after the other: none is asked twice.
fn one_session(store: &Path) -> Result<Took> {
    let db = connection(0, None)?;
    let ids = ask::column(&db, "SELECT session_id FROM zed_threads(?1)", text(store))?;
    let step = (ids.len() / SESSIONS).max(1);
    let mut statement =
        db.prepare("SELECT turn_type, count(*) FROM zed_messages(?1) WHERE session_id = ?2 GROUP BY 1")?;
    time(|| {
        for id in ids.iter().step_by(step).take(SESSIONS) {
            let mut rows = statement.query([text(store), id])?;
            while rows.next()?.is_some() {}
        }
        Ok(())
    })
}

/// From the statement's text to its first row.
fn first_row(sql: &str, store: &Path, id: &str) -> Result<Took> {
    let db = connection(0, None)?;
    time(|| {
        let mut statement = db.prepare(sql)?;
        let mut rows = statement.query([text(store), id])?;
        Ok(rows.next()?.map(|row| row.get_ref(0).map(|_| ())).transpose()?)
    })
}
