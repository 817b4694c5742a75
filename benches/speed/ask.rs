//! What is measured: our own statements, and the ways to the same answer without us.

use super::Result;
use super::host::Statement;
use rusqlite::{Connection, OpenFlags, Params};
use std::collections::BTreeMap;
use std::path::Path;
use zstd::zstd_safe::{DCtx, InBuffer, OutBuffer, ResetDirective};

/// A statement with its one parameter, the store.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    pub sql: &'a str,
    pub parameter: &'a str,
}

/// A fresh connection with the tables: so many decoder threads beside its own, and a cache of another size.
pub fn connection(threads: i64, cache: Option<i64>) -> Result<Connection> {
    let db = Connection::open_in_memory()?;
    agent_history::register(&db)?;
    let set = |name: &str, value: i64| db.query_row("SELECT agent_history_config(?1, ?2)", (name, value), |_| Ok(()));
    set("threads", threads)?;
    if let Some(bytes) = cache {
        set("cache_bytes", bytes)?;
    }
    Ok(db)
}

/// Asks and looks at every cell; how many rows there were.
pub fn ask(db: &Connection, question: Question<'_>) -> Result<usize> {
    let mut statement = Statement::new(db, question.sql, question.parameter)?;
    let (mut count, mut bytes) = (0, 0);
    while statement.step()? {
        count += 1;
        bytes += statement.read();
    }
    std::hint::black_box(bytes);
    if count == 0 { Err(format!("no rows: {}", question.sql).into()) } else { Ok(count) }
}

/// How many there are of each turn type.
pub type Counts = BTreeMap<String, i64>;

/// What a count by turn type gives.
pub fn counts(db: &Connection, sql: &str, parameters: impl Params) -> Result<Counts> {
    let mut statement = db.prepare(sql)?;
    let counts = statement.query_map(parameters, |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(counts.collect::<rusqlite::Result<_>>()?)
}

/// The texts of one column.
pub fn column(db: &Connection, sql: &str, parameter: &str) -> Result<Vec<String>> {
    let mut statement = db.prepare(sql)?;
    let texts = statement.query_map([parameter], |row| row.get(0))?;
    Ok(texts.collect::<rusqlite::Result<_>>()?)
}

/// The floor: every blob read through SQLite and inflated by zstd in one context and one buffer; its decoded bytes.
pub fn inflate(store: &Path) -> Result<u64> {
    let db = Connection::open_with_flags(store, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let mut statement = db.prepare("SELECT data, data_type FROM threads")?;
    let mut rows = statement.query([])?;
    let (mut context, mut buffer, mut bytes) = (DCtx::create(), vec![0_u8; 256 << 10], 0);
    while let Some(row) = rows.next()? {
        let data = row.get_ref(0)?.as_blob()?;
        if row.get_ref(1)?.as_str()? == "json" {
            bytes += data.len() as u64;
            continue;
        }
        context.reset(ResetDirective::SessionOnly).map_err(zstd::zstd_safe::get_error_name)?;
        let mut input = InBuffer::around(data);
        loop {
            let mut output = OutBuffer::around(&mut buffer[..]);
            let hint = context.decompress_stream(&mut output, &mut input).map_err(zstd::zstd_safe::get_error_name)?;
            bytes += output.pos() as u64;
            if hint == 0 {
                break;
            }
        }
    }
    Ok(bytes)
}

/// The bare read of Cody's value, piece by piece.
pub fn read_value(store: &Path) -> Result<u64> {
    let db = Connection::open_with_flags(store, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let rowid = db.query_row("SELECT rowid FROM ItemTable WHERE key = 'sourcegraph.cody-ai'", [], |row| row.get(0))?;
    let mut blob = db.blob_open("main", "ItemTable", "value", rowid, true)?;
    let (mut buffer, mut bytes) = (vec![0; 256 << 10], 0);
    loop {
        match std::io::Read::read(&mut blob, &mut buffer)? {
            0 => return Ok(bytes),
            count => bytes += count as u64,
        }
    }
}
