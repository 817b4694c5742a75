//! A small SQLite shell with the tables built in, for machines whose own SQLite cannot load extensions.
//!
//! `shell [FILE.sql | "SELECT …"]…` runs the files and statements, or what stdin holds when there are none.
//! `AGENT_HISTORY_ROOT` says whose history is read; without it, the user's own.

#[path = "../tests/support/mod.rs"]
mod support;

use rusqlite::Connection;
use std::io::Read as _;
use std::process::ExitCode;
use support::{Result, grid, rows, script};

fn main() -> ExitCode {
    match run() {
        Ok(code) => code,
        Err(error) => {
            eprintln!("shell: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Fails when a statement did, as the `sqlite3` program does.
fn run() -> Result<ExitCode> {
    let mut texts = Vec::new();
    for argument in std::env::args().skip(1) {
        let is_file = argument.ends_with(".sql");
        texts.push(if is_file {
            std::fs::read_to_string(&argument).map_err(|e| format!("{argument}: {e}"))?
        } else {
            argument
        });
    }
    if texts.is_empty() {
        let mut text = String::new();
        std::io::stdin().read_to_string(&mut text)?;
        texts.push(text);
    }
    let db = Connection::open_in_memory()?;
    agent_history::register(&db)?;
    let mut code = ExitCode::SUCCESS;
    for statement in texts.iter().flat_map(|text| script::statements(text)) {
        let answer = rows::ask(&db, &statement.sql);
        if answer.error.is_some() {
            code = ExitCode::FAILURE;
        }
        print!("{}", grid::draw(&answer, &[]));
    }
    Ok(code)
}
