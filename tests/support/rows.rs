//! What a statement answers, whichever host asked it: cells with their types, in one text form.

use super::Result;
use rusqlite::{Connection, types::ValueRef};
use std::fmt;

/// One cell.
#[derive(Clone, PartialEq)]
pub enum Cell {
    Null,
    Integer(i64),
    Real(f64),
    /// Text as bytes: nothing is assumed about what a table returns.
    Text(Vec<u8>),
    Blob(Vec<u8>),
}

/// As a SQL literal; control characters in text show as their pictures (`⏎` for a newline, `␀` for NUL), so that a row
/// is a line.
impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("NULL"),
            Self::Integer(n) => write!(f, "{n}"),
            Self::Real(x) => write!(f, "{x:?}"),
            Self::Text(bytes) => {
                let picture = |c: char| match c {
                    '\n' => '⏎',
                    '\0'..='\x1f' => char::from_u32(0x2400 + u32::from(c)).unwrap_or(c),
                    '\x7f' => '␡',
                    _ => c,
                };
                let text: String = String::from_utf8_lossy(bytes).chars().map(picture).collect();
                write!(f, "'{}'", text.replace('\'', "''"))
            }
            Self::Blob(bytes) => {
                f.write_str("x'")?;
                bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}"))?;
                f.write_str("'")
            }
        }
    }
}

impl fmt::Debug for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl From<ValueRef<'_>> for Cell {
    fn from(value: ValueRef<'_>) -> Self {
        match value {
            ValueRef::Null => Self::Null,
            ValueRef::Integer(n) => Self::Integer(n),
            ValueRef::Real(x) => Self::Real(x),
            ValueRef::Text(bytes) => Self::Text(bytes.to_vec()),
            ValueRef::Blob(bytes) => Self::Blob(bytes.to_vec()),
        }
    }
}

/// A statement's rows, up to the error that ended them if one did.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answer {
    /// The names of the result's columns; none for a statement that returns no rows.
    pub columns: Vec<String>,
    pub rows: Vec<Vec<Cell>>,
    /// SQLite's message.
    pub error: Option<String>,
}

/// Runs one statement in this process.
pub fn ask(db: &Connection, sql: &str) -> Answer {
    let mut answer = Answer::default();
    if let Err(error) = read_rows(db, sql, &mut answer) {
        answer.error = Some(message(error));
    }
    answer
}

fn read_rows(db: &Connection, sql: &str, answer: &mut Answer) -> rusqlite::Result<()> {
    let mut statement = db.prepare(sql)?;
    answer.columns = statement.column_names().map(ToOwned::to_owned).collect();
    let width = answer.columns.len();
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        answer.rows.push((0..width).map(|i| row.get_ref(i).map(Cell::from)).collect::<rusqlite::Result<_>>()?);
    }
    Ok(())
}

/// SQLite's own words, as every host shows them; rusqlite adds the statement's text.
fn message(error: rusqlite::Error) -> String {
    match error {
        rusqlite::Error::SqliteFailure(_, Some(message)) => message,
        rusqlite::Error::SqlInputError { msg, .. } => msg,
        other => other.to_string(),
    }
}

/// Reads rows of SQL literals, as the `sqlite3` program's `.mode quote` prints them: cells parted by commas, rows by
/// newlines.
pub fn parse_literals(mut bytes: &[u8]) -> Result<Vec<Vec<Cell>>> {
    let (mut rows, mut row) = (Vec::new(), Vec::new());
    while !bytes.is_empty() {
        let (cell, rest) = parse_literal(bytes)?;
        row.push(cell);
        match rest.split_first() {
            Some((b',', rest)) => bytes = rest,
            Some((b'\n', rest)) => {
                rows.push(std::mem::take(&mut row));
                bytes = rest;
            }
            _ => return Err(format!("after a cell: `{}`", String::from_utf8_lossy(rest)).into()),
        }
    }
    Ok(rows)
}

fn parse_literal(bytes: &[u8]) -> Result<(Cell, &[u8])> {
    if let Some(text) = bytes.strip_prefix(b"'") {
        let (text, rest) = quoted(text)?;
        return Ok((Cell::Text(text), rest));
    }
    if let Some(text) = bytes.strip_prefix(b"unistr('") {
        let (text, rest) = quoted(text)?;
        return Ok((Cell::Text(unescaped(&text)?), rest.strip_prefix(b")").ok_or("unistr without `)`")?));
    }
    if let Some(hex) = bytes.strip_prefix(b"X'") {
        let (hex, rest) = quoted(hex)?;
        return Ok((Cell::Blob(super::text::parse_hex(&String::from_utf8(hex)?)?), rest));
    }
    let end = bytes.iter().position(|b| matches!(b, b',' | b'\n')).unwrap_or(bytes.len());
    let (word, rest) = bytes.split_at(end);
    let word = std::str::from_utf8(word)?;
    let cell = match word.parse() {
        _ if word == "NULL" => Cell::Null,
        Ok(number) => Cell::Integer(number),
        Err(_) => Cell::Real(word.parse().map_err(|_| format!("no literal: `{word}`"))?),
    };
    Ok((cell, rest))
}

/// The text up to its closing quote, and what follows.
fn quoted(bytes: &[u8]) -> Result<(Vec<u8>, &[u8])> {
    let mut text = Vec::new();
    let mut rest = bytes;
    loop {
        let end = rest.iter().position(|b| *b == b'\'').ok_or("a text without its closing quote")?;
        let (part, tail) = rest.split_at(end);
        text.extend(part);
        match tail.strip_prefix(b"''") {
            Some(tail) => {
                text.push(b'\'');
                rest = tail;
            }
            None => return Ok((text, tail.strip_prefix(b"'").unwrap_or_default())),
        }
    }
}

/// Undoes `unistr`'s `\uXXXX`, with which newer hosts write control characters.
fn unescaped(text: &[u8]) -> Result<Vec<u8>> {
    let text = std::str::from_utf8(text)?;
    let mut parts = text.split('\\');
    let mut out = parts.next().unwrap_or_default().to_owned();
    while let Some(part) = parts.next() {
        match part.strip_prefix('u').and_then(|part| part.split_at_checked(4)) {
            Some((code, tail)) => {
                out.push(char::from_u32(u32::from_str_radix(code, 16)?).ok_or("unistr of a surrogate")?);
                out.push_str(tail);
            }
            None if part.is_empty() => {
                out.push('\\');
                out.push_str(parts.next().unwrap_or_default());
            }
            None => return Err(format!("unistr escape `\\{part}`").into()),
        }
    }
    Ok(out.into_bytes())
}
