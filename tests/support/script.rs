//! Golden files: `tests/sql/**/X.sql` holds statements, `X.out` what they print.
//!
//! A statement ends with the line that ends in `;`. Comment lines right above it are its heading and are printed. `$F`
//! stands for the folder of the built fixtures, in the SQL and in what it prints.

use super::rows::{Answer, Cell};
use super::{Result, files_below, fixtures, repository};
use std::path::{Path, PathBuf};

/// One SQL statement of a golden file.
#[derive(Debug, PartialEq, Eq)]
pub struct Statement {
    /// The comment lines right above it.
    pub heading: Vec<String>,
    /// Its text, with the last `;`.
    pub sql: String,
}

/// Splits a golden file into its statements; a rest without `;` counts as one.
pub fn statements(text: &str) -> Vec<Statement> {
    let mut found = Vec::new();
    let (mut heading, mut sql) = (Vec::new(), Vec::new());
    for line in text.lines().chain([""]) {
        let is_between = sql.is_empty();
        match line.trim() {
            "" if is_between => heading.clear(),
            comment if is_between && comment.starts_with("--") => heading.push(comment.to_owned()),
            _ => sql.push(line),
        }
        if sql.last().is_some_and(|line| line.trim_end().ends_with(';')) {
            found.push(Statement { heading: std::mem::take(&mut heading), sql: sql.join("\n") });
            sql.clear();
        }
    }
    let rest = sql.join("\n").trim().to_owned();
    if !rest.is_empty() {
        found.push(Statement { heading, sql: rest });
    }
    found
}

/// A golden file with `$F` replaced and the homes it names built.
#[derive(Debug)]
pub struct Golden {
    /// The `.sql` file.
    pub path: PathBuf,
    /// Its statements.
    pub statements: Vec<Statement>,
    /// The homes that the statements read.
    pub homes: Vec<PathBuf>,
    /// Why only the SQLite that is linked in can run it: the text after `-- in process only:`.
    pub in_process_only: Option<String>,
}

impl Golden {
    /// Reads the golden files below `tests/sql` whose path holds `only`.
    pub fn all(only: &str) -> Result<Vec<Self>> {
        let folder = repository().join("tests").join("sql");
        let files = files_below(&folder)?;
        let wanted = |file: &&PathBuf| {
            file.extension().is_some_and(|e| e == "sql") && file.with_extension("").to_string_lossy().contains(only)
        };
        files.iter().filter(wanted).map(|file| Self::read(&folder.join(file))).collect()
    }

    fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path)?;
        let in_process_only = text.lines().find_map(|line| line.strip_prefix("-- in process only:"));
        let homes = homes(&text).map_err(|e| format!("{}: {e}", path.display()))?;
        let text = text.replace("$F", &fixtures::built().to_string_lossy());
        Ok(Self {
            path: path.to_path_buf(),
            statements: statements(&text),
            homes,
            in_process_only: in_process_only.map(|why| why.trim().to_owned()),
        })
    }

    /// What the file's statements print: for each its heading, the names of its columns, its rows.
    pub fn transcript(&self, answers: &[Answer]) -> String {
        let mut out = String::new();
        for (statement, answer) in self.statements.iter().zip(answers) {
            if !out.is_empty() {
                out.push('\n');
            }
            for line in &statement.heading {
                out.push_str(&format!("{line}\n"));
            }
            if is_plan(&statement.sql) {
                out.push_str(&plan(&answer.rows));
            } else {
                out.push_str(&table(answer));
            }
            if let Some(error) = &answer.error {
                out.push_str(&format!("error: {error}\n"));
            }
        }
        out.replace(&*fixtures::built().to_string_lossy(), "$F")
    }
}

/// Whether a statement asks for a plan: how one is worded is a matter of SQLite's version.
pub fn is_plan(sql: &str) -> bool {
    sql.trim_start().get(..7).is_some_and(|start| start.eq_ignore_ascii_case("explain"))
}

fn table(answer: &Answer) -> String {
    let names = (!answer.columns.is_empty()).then(|| answer.columns.join("|"));
    let rows = answer.rows.iter().map(|row| row.iter().map(Cell::to_string).collect::<Vec<_>>().join("|"));
    names.into_iter().chain(rows).map(|line| line + "\n").collect()
}

/// The steps of EXPLAIN QUERY PLAN (id, parent, a cost, words), each indented below its parent.
fn plan(rows: &[Vec<Cell>]) -> String {
    let mut depths: Vec<(&Cell, usize)> = Vec::new();
    let mut out = String::new();
    for row in rows {
        if let [id, parent, _, Cell::Text(words)] = row.as_slice() {
            let depth = depths.iter().rev().find(|(id, _)| id == &parent).map_or(0, |(_, depth)| depth + 1);
            depths.push((id, depth));
            out.push_str(&format!("{}{}\n", "  ".repeat(depth), String::from_utf8_lossy(words)));
        }
    }
    out
}

/// Builds the homes that a golden file names as `$F/<agent>/<case>`; all of them where it names less.
fn homes(text: &str) -> Result<Vec<PathBuf>> {
    let mut homes = Vec::new();
    for rest in text.split("$F").skip(1) {
        let mut parts = rest.trim_start_matches('/').split(['/', '\'', '"', '\n', ')', ' ', ',']);
        let case = format!("{}/{}", parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        if fixtures::sources().join(&case).is_dir() && !case.ends_with('/') {
            homes.push(fixtures::home(&case)?);
        } else if case.contains('*') || case.ends_with('/') {
            homes.extend(fixtures::all()?);
        }
    }
    homes.sort();
    homes.dedup();
    Ok(homes)
}
