//! Credentials that stand beside what is read show in no cell of no table: not from sound stores, not from cut ones.
//!
//! The fixture plants a word into every place where Cody's clients keep a token, a key, a header, an environment.

mod support;

use rusqlite::Connection;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use support::rows::{Answer, Cell, ask};
use support::{Result, files_below, fixtures};

/// What every planted credential begins with.
const PLANTED: &str = "PLANTED";

fn open() -> Result<Connection> {
    let db = Connection::open_in_memory()?;
    agent_history::register(&db)?;
    Ok(db)
}

/// Every column of every table over a root, hidden ones included.
fn everything(db: &Connection, root: &Path) -> Vec<(String, Answer)> {
    answers(db, root, |table| table != "agent_columns")
}

/// The same of the tables of which the others are put together.
fn sources(db: &Connection, root: &Path) -> Vec<(String, Answer)> {
    answers(db, root, |table| table.starts_with("cody_") || table == "agent_timeline")
}

fn answers(db: &Connection, root: &Path, is_asked: fn(&str) -> bool) -> Vec<(String, Answer)> {
    let root = root.to_string_lossy().replace('\'', "''");
    let tables = agent_history::agents::tables().into_iter().filter(|table| is_asked(table.name()));
    tables
        .map(|table| {
            let names: Vec<&str> = table.layout().columns().iter().map(|column| column.name).collect();
            let columns = names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ");
            let sql = format!("SELECT {columns} FROM {}('{root}')", table.name());
            (table.name().to_owned(), ask(db, &sql))
        })
        .collect()
}

/// Fails when a cell of an answer holds a planted word.
fn check(what: &str, answers: &[(String, Answer)]) {
    for (table, answer) in answers {
        assert_eq!(answer.error, None, "{what}: {table}");
        for row in &answer.rows {
            for (column, cell) in answer.columns.iter().zip(row) {
                let Cell::Text(text) = cell else { continue };
                let text = String::from_utf8_lossy(text);
                assert!(!text.contains(PLANTED), "{what}: {table}.{column} shows {text}");
            }
        }
    }
}

#[test]
fn no_cell_of_a_sound_home_holds_a_credential() -> Result<()> {
    let db = open()?;
    let home = fixtures::home("cody/secrets")?;
    let answers = everything(&db, &home);
    check("the home", &answers);
    // The stores were read: every table of chats and settings has rows.
    for table in ["cody_chats", "cody_messages", "cody_tool_calls", "cody_edits", "cody_permissions", "cody_prompts"] {
        let rows = answers.iter().find(|(name, _)| name == table).map_or(0, |(_, answer)| answer.rows.len());
        assert!(rows > 0, "{table} is empty");
    }
    Ok(())
}

#[test]
fn no_root_shows_a_credential() -> Result<()> {
    let db = open()?;
    let home = fixtures::home("cody/secrets")?;
    let files: Vec<PathBuf> = files_below(&home)?.into_iter().map(|file| home.join(file)).collect();
    let roots: BTreeSet<&Path> =
        files.iter().flat_map(|file| file.ancestors().take_while(|path| *path != home)).collect();
    for root in roots {
        check(&root.to_string_lossy(), &sources(&db, root));
    }
    Ok(())
}

/// Every file with credentials, ended early and with a character too many or too few, at many places.
#[test]
fn no_damaged_file_shows_a_credential() -> Result<()> {
    const PLACES: usize = 16;
    let (db, home) = (open()?, fixtures::home("cody/secrets")?);
    let folder = std::env::temp_dir().join(format!("agent-history-secrets-{}", std::process::id()));
    for file in files_below(&home)? {
        let bytes = fs::read(home.join(&file))?;
        if file.extension().is_some_and(|extension| extension == "vscdb") || !is_planted(&bytes) {
            continue;
        }
        for (number, damaged) in damaged(&bytes, PLACES).enumerate() {
            let copy = folder.join(number.to_string()).join(&file);
            fs::create_dir_all(copy.parent().ok_or("a file without a folder")?)?;
            fs::write(&copy, damaged)?;
            check(&copy.to_string_lossy(), &sources(&db, &copy));
        }
    }
    fs::remove_dir_all(folder)?;
    Ok(())
}

/// The row of the extension's state, damaged likewise.
#[test]
fn no_damaged_row_shows_a_credential() -> Result<()> {
    const PLACES: usize = 64;
    let (db, home) = (open()?, fixtures::home("cody/secrets")?);
    let store = Connection::open(home.join(".config/Code/User/globalStorage/state.vscdb"))?;
    let query = "SELECT CAST(value AS BLOB) FROM ItemTable WHERE key = 'sourcegraph.cody-ai'";
    let value: Vec<u8> = store.query_row(query, [], |row| row.get(0))?;
    drop(store);
    assert!(is_planted(&value));
    let folder = std::env::temp_dir().join(format!("agent-history-secret-rows-{}", std::process::id()));
    fs::create_dir_all(&folder)?;
    for (number, damaged) in damaged(&value, PLACES).enumerate() {
        let copy = folder.join(format!("{number}.vscdb"));
        let store = Connection::open(&copy)?;
        store.execute_batch("CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)")?;
        store.execute("INSERT INTO ItemTable VALUES ('sourcegraph.cody-ai', ?1)", [damaged])?;
        drop(store);
        check(&copy.to_string_lossy(), &sources(&db, &copy));
    }
    fs::remove_dir_all(folder)?;
    Ok(())
}

fn is_planted(bytes: &[u8]) -> bool {
    bytes.windows(PLANTED.len()).any(|window| window == PLANTED.as_bytes())
}

/// Damage at many places: the bytes up to there; with a character there that opens, closes or ends something; without
/// the one that stands there.
fn damaged(bytes: &[u8], places: usize) -> impl Iterator<Item = Vec<u8>> {
    let places = (1..bytes.len()).step_by((bytes.len() / places).max(1));
    places.flat_map(|at| {
        let (before, behind) = bytes.split_at(at);
        let with = |byte: &[u8]| [before, byte, behind].concat();
        let without = [before, behind.get(1..).unwrap_or_default()].concat();
        [before.to_vec(), with(b"\""), with(b"}"), with(b"{"), without]
    })
}
