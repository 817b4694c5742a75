//! Golden SQL: every `tests/sql/**/X.sql` runs on the fixtures, in this process, and must print its `X.out`.
//!
//! `make golden` (or `UPDATE_GOLDEN=1`) writes the `.out` files anew; read the diff before you commit it.
//! `GOLDEN=zed/seed` runs only the files whose path holds that.

mod support;

use rusqlite::Connection;
use std::fs;
use std::path::PathBuf;
use support::rows::{Answer, Cell, ask, parse_literals};
use support::script::{Golden, Statement, statements};
use support::{Result, files_below, fixtures, repository, text};

#[test]
fn golden_files() -> Result<()> {
    let only = std::env::var("GOLDEN").unwrap_or_default();
    let is_update = std::env::var_os("UPDATE_GOLDEN").is_some();
    let all = Golden::all(&only)?;
    assert!(!all.is_empty(), "no golden file's path holds `{only}`");
    let mut failures = Vec::new();
    for golden in all {
        let before = fixtures::snapshot(&golden.homes)?;
        let db = Connection::open_in_memory()?;
        agent_history::register(&db)?;
        let answers: Vec<Answer> = golden.statements.iter().map(|statement| ask(&db, &statement.sql)).collect();
        drop(db);
        let (path, got) = (golden.path.with_extension("out"), golden.transcript(&answers));
        if is_update {
            fs::write(path, got)?;
        } else if let Some(diff) = text::diff(&fs::read_to_string(&path).unwrap_or_default(), &got) {
            failures.push(format!("--- {} wants\n+++ and got\n{diff}", path.display()));
        }
        // The tables' promise: nothing that is read is changed, and nothing appears beside it.
        if let Some(diff) = text::diff(&before, &fixtures::snapshot(&golden.homes)?) {
            failures.push(format!("{} changed the homes it read:\n{diff}", golden.path.display()));
        }
    }
    assert!(failures.is_empty(), "{}\nIf the new rows are right: make golden", failures.join("\n"));
    Ok(())
}

#[test]
fn every_fixture_is_asked() -> Result<()> {
    let tests = repository().join("tests");
    let files = files_below(&tests)?;
    let is_text = |file: &&PathBuf| file.extension().is_some_and(|e| e == "sql" || e == "rs");
    let texts = files.iter().filter(is_text).map(|file| fs::read_to_string(tests.join(file)));
    let text = texts.collect::<std::result::Result<Vec<_>, _>>()?.concat();
    let idle: Vec<String> = fixtures::cases()?.into_iter().filter(|case| !text.contains(case.as_str())).collect();
    assert!(idle.is_empty(), "no golden file and no test names {idle:?}");
    Ok(())
}

#[test]
fn a_golden_file_is_cut_into_statements() {
    let text =
        "-- A file's first words.\n\n-- Heading,\n-- in two lines.\nSELECT 1;\nSELECT\n  ';',\n  2;\n\n\nSELECT 3";
    let (heading, sql) = (vec!["-- Heading,".to_owned(), "-- in two lines.".to_owned()], "SELECT 1;".to_owned());
    let bare = |sql: &str| Statement { heading: Vec::new(), sql: sql.to_owned() };
    assert_eq!(
        statements(text),
        [Statement { heading, sql }, bare("SELECT\n  ';',\n  2;"), bare("SELECT 3")],
        "a `;` inside a line ends nothing"
    );
}

#[test]
fn cells_print_as_literals_and_read_back() -> Result<()> {
    let db = Connection::open_in_memory()?;
    let answer = ask(&db, "SELECT NULL AS a, -7 AS b, 0.1, 'it''s' || char(10) || char(0), x'00ff'");
    let [row] = answer.rows.as_slice() else { panic!("{answer:?}") };
    assert_eq!(answer.columns.get(..2), Some(&["a".to_owned(), "b".to_owned()][..]));
    assert_eq!(row.iter().map(Cell::to_string).collect::<Vec<_>>(), ["NULL", "-7", "0.1", "'it''s⏎␀'", "x'00ff'"]);
    let printed = b"NULL,-7,0.10000000000000000555,'it''s\n\0',X'00FF'\nunistr('a\\u000a\\\\n'),1\n";
    let text = |text: &[u8]| Cell::Text(text.to_vec());
    assert_eq!(parse_literals(printed)?, [row.clone(), vec![text(b"a\n\\n"), Cell::Integer(1)]]);
    Ok(())
}

#[test]
fn an_error_keeps_the_rows_before_it() -> Result<()> {
    let db = Connection::open_in_memory()?;
    let answer = ask(&db, "SELECT abs(n) FROM (SELECT -3 AS n UNION ALL SELECT -9223372036854775807 - 1)");
    assert_eq!(answer.rows, [[Cell::Integer(3)]]);
    assert_eq!(answer.error.as_deref(), Some("integer overflow"));
    assert_eq!(ask(&db, "SELECT nowhere").error.as_deref(), Some("no such column: nowhere"));
    Ok(())
}
