//! What holds for every table, checked over all that are registered: a new table is covered without a line here.

mod support;

use agent_history::table::{Access, AnyTable, Column};
use rusqlite::Connection;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use support::rows::{Cell, ask};
use support::{Result, fixtures};

/// Tables that answer without a store: the documentation, and what was looked for.
const ANSWER_ALWAYS: [&str; 2] = ["agent_columns", "agent_sources"];

/// Columns that every table ends with, then `root`, then its other hidden ones.
const LAST: [&str; 4] = ["source_path", "source_record", "source_pointer", "error"];

fn open() -> Result<Connection> {
    let db = Connection::open_in_memory()?;
    agent_history::register(&db)?;
    Ok(db)
}

fn tables() -> Vec<&'static dyn AnyTable> {
    let tables = agent_history::agents::tables();
    assert!(tables.len() > 1);
    tables
}

/// The rows of a statement that must not fail.
fn rows(db: &Connection, sql: &str) -> Vec<Vec<Cell>> {
    let answer = ask(db, sql);
    assert_eq!(answer.error, None, "{sql}");
    answer.rows
}

/// A path as an SQL literal.
fn quoted(path: &Path) -> String {
    format!("'{}'", path.to_string_lossy().replace('\'', "''"))
}

fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_lowercase() || c == '_' || c.is_ascii_digit())
}

#[test]
fn names_are_plain_and_unique() {
    let mut seen = BTreeSet::new();
    for table in tables() {
        let agents = agent_history::agents::AGENTS.iter().map(|agent| agent.name());
        let prefix = table.name().split('_').next().unwrap_or_default();
        assert!(agents.chain(["agent"]).any(|name| name == prefix), "{}: an agent's name comes first", table.name());
        assert!(is_name(table.name()) && seen.insert(table.name()), "{}", table.name());
        let layout = table.layout();
        let names: BTreeSet<&str> = layout.columns().iter().map(|column| column.name).collect();
        assert_eq!(names.len(), layout.columns().len(), "{}: a column twice", table.name());
        assert!(names.iter().all(|name| is_name(name)), "{}: {names:?}", table.name());
    }
}

#[test]
fn everything_is_documented_in_sentences() {
    let is_sentence = |doc: &str| {
        let doc = doc.trim();
        doc.ends_with('.') && !doc.starts_with(|c: char| c.is_lowercase()) && !doc.contains("TODO")
    };
    for table in tables() {
        assert!(is_sentence(table.doc()), "{}: {:?}", table.name(), table.doc());
        for column in table.layout().columns() {
            assert!(is_sentence(column.doc), "{}.{}: {:?}", table.name(), column.name, column.doc);
        }
    }
}

#[test]
fn every_table_ends_with_where_a_row_came_from() {
    for table in tables() {
        let layout = table.layout();
        let (shown, hidden): (Vec<&Column>, Vec<&Column>) =
            layout.columns().iter().partition(|c| c.access != Access::Hidden);
        let last: Vec<&str> = shown.iter().rev().take(4).rev().map(|column| column.name).collect();
        assert_eq!(last, LAST, "{}", table.name());
        assert_eq!(hidden.first().map(|column| column.name), Some("root"), "{}: root binds the argument", table.name());
        assert!(layout.columns().iter().skip(shown.len()).all(|c| c.access == Access::Hidden), "{}", table.name());
    }
}

#[test]
fn every_time_says_what_it_is() {
    for table in tables() {
        let layout = table.layout();
        let names: BTreeSet<&str> = layout.columns().iter().map(|column| column.name).collect();
        if names.contains("timestamp_utc") {
            assert!(names.contains("timestamp_basis"), "{}", table.name());
        }
    }
}

#[test]
fn agent_columns_tells_what_sqlite_was_told() -> Result<()> {
    let db = open()?;
    for table in tables() {
        let name = table.name();
        let told = format!("SELECT cid, name, type, hidden FROM pragma_table_xinfo('{name}')");
        let documented =
            format!("SELECT position, name, type, is_hidden FROM agent_columns WHERE table_name = '{name}'");
        assert_eq!(rows(&db, &documented), rows(&db, &told), "{name}");
    }
    Ok(())
}

#[test]
fn a_root_without_stores_is_no_rows_and_one_that_is_not_there_an_error() -> Result<()> {
    let db = open()?;
    let empty = Path::new(env!("CARGO_TARGET_TMPDIR")).join("empty-home");
    fs::create_dir_all(&empty)?;
    let gone = empty.join("gone");
    for table in tables() {
        let name = table.name();
        if !ANSWER_ALWAYS.contains(&name) {
            assert_eq!(rows(&db, &format!("SELECT * FROM {name}({})", quoted(&empty))), [[]; 0], "{name}");
        }
        let error = ask(&db, &format!("SELECT * FROM {name}({})", quoted(&gone))).error;
        let names_it = error.as_ref().is_some_and(|error| error.contains(&*gone.to_string_lossy()));
        assert!(names_it || name == "agent_columns", "{name}: {error:?}");
    }
    let found = rows(&db, &format!("SELECT DISTINCT agent, status FROM agent_sources({})", quoted(&empty)));
    assert!(found.iter().all(|row| row.last() == Some(&Cell::Text(b"empty".to_vec()))), "{found:?}");
    Ok(())
}

#[test]
fn a_foreign_database_cannot_reach_the_tables() -> Result<()> {
    for table in tables() {
        let db = open()?;
        let name = table.name();
        db.execute_batch(&format!("CREATE VIEW v AS SELECT * FROM {name}"))?;
        let error = ask(&db, "SELECT * FROM v").error;
        assert_eq!(error, Some(format!("unsafe use of virtual table \"{name}\"")));
    }
    Ok(())
}

/// One table on one home.
struct Case {
    name: &'static str,
    /// The home, and the `root` that leads there; none is needed to reach the demo home (`.cargo/config.toml`).
    home: PathBuf,
    root: Option<PathBuf>,
}

impl Case {
    /// What stands after FROM.
    fn from(&self) -> String {
        self.root.as_ref().map_or_else(|| self.name.to_owned(), |root| format!("{}({})", self.name, quoted(root)))
    }
}

/// Runs `check` for every table on the demo home, with and without an argument, and on every home of an agent's fixtures
/// for its own tables and those over all agents that do more than chain these.
fn on_every_home(check: impl Fn(&Connection, &Case)) -> Result<()> {
    let db = open()?;
    let demo = fixtures::home("demo/home")?;
    for table in tables() {
        for root in [None, Some(demo.clone())] {
            check(&db, &Case { name: table.name(), home: demo.clone(), root });
        }
    }
    for case in fixtures::cases()? {
        let home = fixtures::home(&case)?;
        let agent = case.split('/').next().unwrap_or_default();
        let is_of_home = |name: &str| name.starts_with(agent) || MADE_OF_SEVERAL.contains(&name);
        for table in tables().into_iter().filter(|table| is_of_home(table.name())) {
            check(&db, &Case { name: table.name(), home: home.clone(), root: Some(home.clone()) });
        }
    }
    Ok(())
}

/// The tables over all agents that are more than chains of the agents' own.
const MADE_OF_SEVERAL: [&str; 4] = ["agent_sessions", "agent_models", "agent_timeline", "agent_sources"];

#[test]
fn rowid_is_an_identity() -> Result<()> {
    on_every_home(|db, case| {
        let from = case.from();
        let all = rows(db, &format!("SELECT rowid, * FROM {from}"));
        let ids: BTreeSet<String> = all.iter().filter_map(|row| row.first()).map(Cell::to_string).collect();
        assert_eq!(ids.len(), all.len(), "{from}: a rowid twice");
        for row in all.iter().step_by(1 + all.len() / 5) {
            let id = row.first().unwrap_or(&Cell::Null);
            let found = rows(db, &format!("SELECT rowid, * FROM {from} WHERE rowid = '{id}'"));
            assert_eq!(found, std::slice::from_ref(row), "{from}: by rowid, as text");
        }
    })
}

/// What reaches a scan may leave out only rows that SQLite would leave out as well.
#[test]
fn a_pushed_constraint_finds_what_sqlite_would_find() -> Result<()> {
    let db = open()?;
    for case in fixtures::cases()? {
        let home = fixtures::home(&case)?;
        let agent = case.split('/').next().unwrap_or_default();
        let made: &[&str] = if case.ends_with("/seed") { &MADE_OF_SEVERAL } else { &[] };
        let is_of_home = |table: &&dyn AnyTable| table.name().starts_with(agent) || made.contains(&table.name());
        for table in tables().into_iter().filter(is_of_home) {
            let layout = table.layout();
            let pushed = layout.columns().iter().filter(|c| matches!(c.access, Access::Key | Access::Range));
            pushed.for_each(|column| check_pushed(&db, &format!("{}({})", table.name(), quoted(&home)), column));
        }
    }
    Ok(())
}

fn check_pushed(db: &Connection, from: &str, column: &Column) {
    let name = column.name;
    let values = rows(db, &format!("SELECT DISTINCT \"{name}\" FROM {from} WHERE \"{name}\" IS NOT NULL LIMIT 3"));
    let quote = |cell: &Cell| match cell {
        Cell::Text(text) => format!("'{}'", String::from_utf8_lossy(text).replace('\'', "''")),
        other => other.to_string(),
    };
    let values: Vec<String> = values.iter().filter_map(|row| row.first()).map(quote).collect();
    let Some(last) = values.last() else { return };
    let operators: &[&str] = if column.access == Access::Key { &["="] } else { &["=", "<", ">="] };
    let mut conditions: Vec<String> = operators.iter().map(|operator| format!("{operator} {last}")).collect();
    if column.access == Access::Key {
        conditions.push(format!("IN ({}, 'no such value', NULL)", values.join(", ")));
    }
    for condition in conditions {
        let pushed = rows(db, &format!("SELECT rowid FROM {from} WHERE \"{name}\" {condition}"));
        // A unary plus keeps the constraint from the scan.
        let whole = rows(db, &format!("SELECT rowid FROM {from} WHERE +\"{name}\" {condition}"));
        assert_eq!(pushed, whole, "{from} WHERE {name} {condition}");
    }
}

#[test]
fn a_cell_is_the_same_whatever_else_is_asked_for() -> Result<()> {
    on_every_home(|db, case| {
        let from = case.from();
        let all = ask(db, &format!("SELECT * FROM {from}"));
        let count = rows(db, &format!("SELECT count(*) FROM {from}"));
        assert_eq!(count, [[Cell::Integer(i64::try_from(all.rows.len()).unwrap_or_default())]], "{from}");
        if all.rows.is_empty() {
            return;
        }
        // What was not read cannot have failed: `error` may say less.
        let positions = (0..all.columns.len()).filter(|at| all.columns.get(*at).is_some_and(|name| name != "error"));
        // Each column alone on the demo home, which has rows for every table; two halves elsewhere, for speed.
        let alone = if case.root.is_none() { all.columns.len() } else { 2 };
        for group in 0..alone {
            let group: Vec<usize> = positions.clone().filter(|at| at % alone == group).collect();
            let names: Vec<String> =
                group.iter().filter_map(|at| Some(format!("\"{}\"", all.columns.get(*at)?))).collect();
            if names.is_empty() {
                continue;
            }
            let some = rows(db, &format!("SELECT {} FROM {from}", names.join(", ")));
            let same =
                all.rows.iter().map(|row| group.iter().filter_map(|at| row.get(*at).cloned()).collect::<Vec<_>>());
            assert_eq!(some, same.collect::<Vec<_>>(), "{from}: {names:?}");
        }
    })
}

#[test]
fn a_created_table_has_the_rows_of_its_root_and_no_hidden_columns() -> Result<()> {
    on_every_home(|db, case| {
        let argument = case.root.as_ref().map_or_else(String::new, |root| format!("(root={})", quoted(root)));
        let create = format!("CREATE VIRTUAL TABLE temp.made USING {}{argument}", case.name);
        assert_eq!(db.execute_batch(&format!("DROP TABLE IF EXISTS temp.made; {create}")), Ok(()));
        let made = rows(db, "SELECT rowid, * FROM made");
        assert_eq!(made, rows(db, &format!("SELECT rowid, * FROM {}", case.from())), "{create}");
        assert_eq!(rows(db, "SELECT name FROM pragma_table_xinfo('made') WHERE hidden"), [[]; 0], "{create}");
    })
}

#[test]
fn cells_keep_the_rules_of_their_columns() -> Result<()> {
    on_every_home(|db, case| {
        let answer = ask(db, &format!("SELECT *, root FROM {}", case.from()));
        assert_eq!(answer.error, None, "{}", case.from());
        for row in &answer.rows {
            for (column, cell) in answer.columns.iter().zip(row) {
                assert!(keeps_rule(case, column, cell), "{}: {column} is {cell}", case.from());
            }
        }
    })
}

/// Fixtures plant credentials that begin with SECRET, in sound files and in cut ones.
#[test]
fn no_cell_shows_a_credential() -> Result<()> {
    on_every_home(|db, case| {
        let table = tables().into_iter().find(|table| table.name() == case.name);
        let layout = table.map(AnyTable::layout);
        let columns = layout.iter().flat_map(|layout| layout.columns().iter().map(|column| column.name));
        let columns = columns.map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ");
        for row in ask(db, &format!("SELECT {columns} FROM {}", case.from())).rows {
            let shown = row
                .iter()
                .find(|cell| matches!(cell, Cell::Text(text) if String::from_utf8_lossy(text).contains("SECRET")));
            assert_eq!(shown, None, "{}", case.from());
        }
    })
}

/// Times are 24 characters of UTC, booleans 0 or 1, errors begin with their token, a file stands in its root.
fn keeps_rule(case: &Case, column: &str, cell: &Cell) -> bool {
    const TOKENS: [&str; 9] = ["io", "busy", "sqlite", "zstd", "utf8", "json", "xml", "shape", "limit"];
    let text = match cell {
        Cell::Null => return column != "root" || case.root.is_none(),
        Cell::Text(text) => String::from_utf8_lossy(text).into_owned(),
        other => other.to_string(),
    };
    match column {
        "root" => case.root.as_ref().is_some_and(|root| Path::new(&text) == root),
        "error" => TOKENS.iter().any(|token| text.strip_prefix(token).is_some_and(|rest| rest.starts_with(": "))),
        "source_path" => Path::new(&text).starts_with(&case.home),
        _ if column.ends_with("_utc") || column.ends_with("_at") => {
            let shape: String = text.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
            shape == "0000-00-00T00:00:00.000Z"
        }
        _ if column.starts_with("is_") => text == "0" || text == "1",
        _ => true,
    }
}
