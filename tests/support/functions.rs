//! The SQL functions that a fixture's `X.db.sql` may call, so that what is binary in a store is text in the repository.
//!
//! | function | value |
//! |---|---|
//! | `zstd_file(name [, level])` | the file as one zstd frame without content size or checksum, as Zed writes it; a `.json` file is compacted first |
//! | `zstd(text [, level])` | the same of a text or blob |
//! | `zstd_sized(text)` | a frame with content size and checksum, as the `zstd` program writes it |
//! | `skippable(bytes)` | a skippable frame around the bytes |
//! | `text_file(name)`, `json_file(name)`, `blob_file(name)` | a file's text, its text compacted, its bytes |
//! | `json_min(text)` | JSON without the white space between its tokens |
//! | `truncated(bytes, n)` | the first n bytes; the last -n cut off where n is negative |
//! | `joined(a, b, …)` | blobs one after the other |
//! | `repeated(text, n)` | the text n times |
//!
//! File names are relative to the script's folder.

use super::{Result, text};
use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::{Connection, types::Value, types::ValueRef};
use std::io::{Error, Write as _};
use std::path::{Component, Path, PathBuf};

/// Registers every function on `db`; file names are looked up below `folder`.
pub fn register(db: &Connection, folder: &Path) -> Result<()> {
    let read = {
        let folder = folder.to_path_buf();
        move |context: &Context<'_>| read_file(&folder, &context.get::<String>(0)?).map_err(to_sql)
    };
    let file = read.clone();
    add(db, "zstd_file", move |c| {
        let name = c.get::<String>(0)?;
        let bytes = file(c)?;
        let bytes = if name.ends_with(".json") { text::compact_json(&utf8(bytes)?).into_bytes() } else { bytes };
        Ok(Value::Blob(streamed(&bytes, level(c)?)?))
    })?;
    let file = read.clone();
    add(db, "text_file", move |c| Ok(Value::Text(utf8(file(c)?)?)))?;
    let file = read.clone();
    add(db, "json_file", move |c| Ok(Value::Text(text::compact_json(&utf8(file(c)?)?))))?;
    add(db, "blob_file", move |c| Ok(Value::Blob(read(c)?)))?;
    add(db, "zstd", |c| Ok(Value::Blob(streamed(&bytes(c, 0)?, level(c)?)?)))?;
    add(db, "zstd_sized", |c| Ok(Value::Blob(sized(&bytes(c, 0)?).map_err(to_sql)?)))?;
    add(db, "skippable", |c| Ok(Value::Blob(skippable(&bytes(c, 0)?))))?;
    add(db, "json_min", |c| Ok(Value::Text(text::compact_json(&c.get::<String>(0)?))))?;
    add(db, "truncated", |c| Ok(Value::Blob(truncated(bytes(c, 0)?, c.get(1)?))))?;
    add(db, "joined", |c| {
        Ok(Value::Blob((0..c.len()).map(|i| bytes(c, i)).collect::<rusqlite::Result<Vec<_>>>()?.concat()))
    })?;
    add(db, "repeated", |c| Ok(Value::Text(c.get::<String>(0)?.repeat(c.get::<u32>(1)? as usize))))
}

type Call = rusqlite::Result<Value>;

fn add(db: &Connection, name: &str, call: impl Fn(&Context<'_>) -> Call + Send + 'static) -> Result<()> {
    db.create_scalar_function(name, -1, FunctionFlags::SQLITE_UTF8, move |context| call(context))?;
    Ok(())
}

fn to_sql(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> rusqlite::Error {
    rusqlite::Error::UserFunctionError(error.into())
}

fn read_file(folder: &Path, name: &str) -> Result<Vec<u8>> {
    let path = PathBuf::from(name);
    if path.components().any(|part| !matches!(part, Component::Normal(_))) {
        return Err(format!("{name}: a fixture's file stands below its script").into());
    }
    std::fs::read(folder.join(path)).map_err(|e| format!("{name}: {e}").into())
}

fn utf8(bytes: Vec<u8>) -> rusqlite::Result<String> {
    String::from_utf8(bytes).map_err(to_sql)
}

fn bytes(context: &Context<'_>, index: usize) -> rusqlite::Result<Vec<u8>> {
    match context.get_raw(index) {
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Ok(bytes.to_vec()),
        other => Err(to_sql(format!("argument {index} is {}, not text or a blob", other.data_type()))),
    }
}

fn level(context: &Context<'_>) -> rusqlite::Result<i32> {
    // Zed's level.
    if context.len() > 1 { context.get(1) } else { Ok(3) }
}

fn streamed(bytes: &[u8], level: i32) -> rusqlite::Result<Vec<u8>> {
    // Written, then finished: the compressor must not know the length when it writes the header.
    let mut encoder = zstd::stream::Encoder::new(Vec::new(), level).map_err(to_sql)?;
    encoder.write_all(bytes).map_err(to_sql)?;
    encoder.finish().map_err(to_sql)
}

fn sized(bytes: &[u8]) -> std::result::Result<Vec<u8>, Error> {
    let mut compressor = zstd::bulk::Compressor::new(3)?;
    compressor.include_checksum(true)?;
    compressor.compress(bytes)
}

fn skippable(bytes: &[u8]) -> Vec<u8> {
    let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
    [&0x184D_2A50_u32.to_le_bytes(), &length.to_le_bytes(), bytes].concat()
}

fn truncated(mut bytes: Vec<u8>, keep: i64) -> Vec<u8> {
    let by = usize::try_from(keep.unsigned_abs()).unwrap_or(usize::MAX);
    bytes.truncate(if keep < 0 { bytes.len().saturating_sub(by) } else { by });
    bytes
}
