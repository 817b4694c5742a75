//! Hosts that load the built library: the `sqlite3` program and Python's `sqlite3` module.

use super::rows::{Answer, Cell, parse_literals};
use super::{Result, repository};
use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread;

/// A program that runs SQL with the library loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Host {
    /// The `sqlite3` program. It cuts text at a NUL.
    Sqlite3(PathBuf),
    /// A Python interpreter.
    Python(PathBuf),
}

const MARKER: &str = "--8<-- ";

impl Host {
    /// The first `sqlite3` program that can load extensions, or words on why there is none. `$SQLITE3` names another.
    pub fn sqlite3() -> std::result::Result<Self, String> {
        let program = PathBuf::from(std::env::var_os("SQLITE3").unwrap_or_else(|| "sqlite3".into()));
        // Apple's build leaves the command out and says so; others complain of the file.
        let said = Command::new(&program).args(["-batch", ":memory:", ".load /no/such/file"]).output();
        match said {
            Err(error) => Err(format!("no {} program: {error}", program.display())),
            Ok(output) if String::from_utf8_lossy(&output.stderr).contains("unknown command") => {
                Err(format!("{} cannot load extensions", program.display()))
            }
            Ok(_) => Ok(Self::Sqlite3(program)),
        }
    }

    /// The first Python whose `sqlite3` can load extensions, or words on why there is none.
    pub fn python() -> std::result::Result<Self, String> {
        let can_load = "import sqlite3; sqlite3.connect(':memory:').enable_load_extension(True)";
        let usable = |program: &&str| {
            let run = Command::new(program).args(["-c", can_load]).stderr(Stdio::null()).status();
            run.is_ok_and(|status| status.success())
        };
        let found = ["/usr/bin/python3", "python3", "/opt/homebrew/bin/python3"].into_iter().find(|p| usable(p));
        found.map(|program| Self::Python(program.into())).ok_or_else(|| "no Python can load extensions".to_owned())
    }

    /// Runs the statements in one connection to an empty database with `library` loaded.
    pub fn run(&self, library: &Path, statements: &[&str]) -> Result<Vec<Answer>> {
        match self {
            Self::Sqlite3(program) => run_sqlite3(program, library, statements),
            Self::Python(program) => run_python(program, library, statements),
        }
    }
}

/// Feeds `input` to the command and waits for what it prints.
fn output(command: &mut Command, input: String) -> Result<Output> {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let mut stdin = child.stdin.take().ok_or("no stdin")?;
    // From a thread of its own: a host that prints much before it has read all would block both.
    let feeder = thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output()?;
    feeder.join().map_err(|_| "the feeding thread panicked")?.ok();
    Ok(output)
}

fn run_sqlite3(program: &Path, library: &Path, statements: &[&str]) -> Result<Vec<Answer>> {
    let mut script = format!(".load '{}'\n.mode quote\n", library.display());
    let mut lines = Vec::new();
    for (number, statement) in statements.iter().enumerate() {
        script.push_str(&format!(".print '{MARKER}{number}'\n"));
        lines.push(script.lines().count() + 1);
        script.push_str(&format!("{statement}\n"));
    }
    // An empty file instead of the user's ~/.sqliterc.
    let output = output(Command::new(program).args(["-batch", "-init", "/dev/null", ":memory:"]), script)?;
    let mut answers = answers(&output, statements.len())?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    for (line, message) in said.lines().filter_map(located) {
        let statement = lines.iter().rposition(|start| *start <= line).ok_or_else(|| said.clone())?;
        answers.get_mut(statement).ok_or("more errors than statements")?.error = Some(message);
    }
    Ok(answers)
}

/// `Runtime error near line 7: no such table: t (1)` → 7, `no such table: t`.
fn located(line: &str) -> Option<(usize, String)> {
    let (number, message) = line.split_once("near line ")?.1.split_once(": ")?;
    let without_code = message.strip_suffix(')').and_then(|m| m.rsplit_once(" ("));
    let message = without_code.filter(|(_, code)| code.parse::<u16>().is_ok()).map_or(message, |(message, _)| message);
    Some((number.parse().ok()?, message.to_owned()))
}

fn run_python(program: &Path, library: &Path, statements: &[&str]) -> Result<Vec<Answer>> {
    let script = repository().join("tests").join("support").join("host.py");
    let output = output(Command::new(program).arg(script).arg(library), serde_json::to_string(statements)?)?;
    answers(&output, statements.len())
}

/// Cuts what a host printed at its markers.
fn answers(output: &Output, count: usize) -> Result<Vec<Answer>> {
    let mut answers: Vec<Answer> = Vec::new();
    let mut rest = output.stdout.as_slice();
    for number in 0..count {
        let marker = format!("{MARKER}{number}\n");
        rest = rest
            .strip_prefix(marker.as_bytes())
            .ok_or_else(|| format!("statement {number} did not run: {}", String::from_utf8_lossy(&output.stderr)))?;
        let next = format!("{MARKER}{}\n", number + 1);
        let is_next = |at: &usize| rest.get(*at..).is_some_and(|rest| rest.starts_with(next.as_bytes()));
        let end = (0..rest.len()).find(is_next).unwrap_or(rest.len());
        let (printed, tail) = rest.split_at(end);
        answers.push(answer(printed)?);
        rest = tail;
    }
    Ok(answers)
}

fn answer(printed: &[u8]) -> Result<Answer> {
    let is_error = |at: &usize| printed.get(*at) == Some(&b'!') && (*at == 0 || printed.get(at - 1) == Some(&b'\n'));
    let end = (0..printed.len()).rfind(is_error).unwrap_or(printed.len());
    let (rows, error) = printed.split_at(end);
    let error = error.strip_prefix(b"!").map(|text| String::from_utf8_lossy(text).trim_end().to_owned());
    Ok(Answer { columns: Vec::new(), rows: parse_literals(rows)?, error })
}

/// The answer as a host that cuts text at a NUL shows it, without what hosts do not tell.
pub fn as_seen_by(host: &Host, answer: &Answer) -> Answer {
    let cut = |cell: &Cell| match (host, cell) {
        (Host::Sqlite3(_), Cell::Text(text)) => {
            Cell::Text(text.split(|byte| *byte == 0).next().unwrap_or_default().to_vec())
        }
        _ => cell.clone(),
    };
    Answer {
        columns: Vec::new(),
        rows: answer.rows.iter().map(|row| row.iter().map(cut).collect()).collect(),
        error: answer.error.clone(),
    }
}

/// Builds the library as it ships (default features, though unoptimised) and gives its path. `$AGENT_HISTORY_LIBRARY`
/// names one that is built already.
pub fn library() -> Result<PathBuf> {
    if let Some(built) = std::env::var_os("AGENT_HISTORY_LIBRARY") {
        return Ok(repository().join(built));
    }
    // A folder of its own: cargo, when it runs the tests, may hold the lock of the usual one.
    let folder = repository().join("target").join("loadable");
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--lib", "--quiet", "--target-dir"]).arg(&folder).current_dir(repository());
    // What this test run was built with must not leak into the build of the library.
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("CARGO_") && name != "CARGO_HOME" {
            cargo.env_remove(name);
        }
    }
    match cargo.status()? {
        status if status.success() => Ok(folder.join("debug").join(format!("{DLL_PREFIX}agent_history{DLL_SUFFIX}"))),
        status => Err(format!("cargo build --lib: {status}").into()),
    }
}
