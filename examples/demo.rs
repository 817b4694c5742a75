//! `make demo`: the README's queries on the demo home, then on the user's own.
//!
//! `demo [LIBRARY]` asks through the `sqlite3` program with the library loaded where that can be done, else through
//! the shell beside it (`examples/shell.rs`), which has the tables built in.

#[path = "../tests/support/mod.rs"]
mod support;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use support::hosts::Host;
use support::{Result, fixtures, readme, repository};

/// What answers the queries.
enum Shell {
    Sqlite3 { program: PathBuf, library: PathBuf },
    BuiltIn { program: PathBuf },
}

/// What a shell printed.
struct Answer {
    text: String,
    is_success: bool,
}

impl Shell {
    fn choose(library: Option<PathBuf>) -> Result<Self> {
        match (Host::sqlite3(), library) {
            (Ok(Host::Sqlite3(program)), Some(library)) => return Ok(Self::Sqlite3 { program, library }),
            (Err(why), _) => println!("({why}: the demo brings its own SQLite)"),
            _ => {}
        }
        let name = format!("shell{}", std::env::consts::EXE_SUFFIX);
        Ok(Self::BuiltIn { program: std::env::current_exe()?.with_file_name(name) })
    }

    /// The command that answers a query.
    fn command(&self, sql: &str) -> Command {
        match self {
            Self::BuiltIn { program } => {
                let mut command = Command::new(program);
                command.arg(sql);
                command
            }
            Self::Sqlite3 { program, library } => {
                let mut command = Command::new(program);
                // An empty file instead of the user's ~/.sqliterc; a page's width.
                let load = format!(".load '{}'", library.display());
                command.args(["-batch", "-init", "/dev/null", "-cmd", &load, "-cmd", ".mode box --wrap 60"]);
                command.args([":memory:", sql]);
                command
            }
        }
    }

    /// Asks about one home; `None` is the user's own.
    fn answer(&self, sql: &str, home: Option<&Path>) -> Result<Answer> {
        let mut command = self.command(sql);
        command.current_dir(repository());
        match home {
            Some(home) => command.env("AGENT_HISTORY_ROOT", home),
            None => command.env_remove("AGENT_HISTORY_ROOT"),
        };
        let output = command.output().map_err(|e| format!("{:?}: {e}", command.get_program()))?;
        let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        Ok(Answer { text, is_success: output.status.success() })
    }

    /// What a person types to ask on.
    fn invitation(&self) -> String {
        match self {
            Self::BuiltIn { program } => format!("{} \"SELECT * FROM agent_sources;\"", program.display()),
            Self::Sqlite3 { program, library } => {
                format!("{} -box -cmd \".load {}\"", program.display(), library.display())
            }
        }
    }
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("demo: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<()> {
    let shell = Shell::choose(std::env::args_os().nth(1).map(PathBuf::from))?;
    let demo = fixtures::home("demo/home")?;
    // Relative, for shorter lines: make runs this in the repository.
    let demo = demo.strip_prefix(repository()).unwrap_or(&demo);
    println!("\n=== The demo home, {} ===", demo.display());
    tour(&shell, Some(demo))?;
    println!("\n=== Your own history ===");
    if has_stores(&shell)? {
        tour(&shell, None)?;
    } else {
        println!("\nNo store of an agent was found in your home. Where it was looked:");
        print!("{}", shell.answer("SELECT agent, kind, status, path, hint FROM agent_sources", None)?.text);
    }
    println!("\n=== Ask on ===\n\n{}", shell.invitation());
    Ok(())
}

/// The README's queries on one home; `None` is the user's own.
fn tour(shell: &Shell, home: Option<&Path>) -> Result<()> {
    for (words, sql) in readme::queries(&readme::read()?) {
        println!("\n-- {words}\n{}", sql.trim_end());
        let answer = shell.answer(&sql, home)?;
        print!("{}", if answer.text.is_empty() { "(no rows)\n" } else { &answer.text });
        // Nobody's own history may end the tour, the demo home's must answer.
        if home.is_some() && !answer.is_success {
            return Err("the demo home did not answer".into());
        }
    }
    Ok(())
}

fn has_stores(shell: &Shell) -> Result<bool> {
    let found = shell.answer("SELECT 1 AS found FROM agent_sources WHERE status <> 'empty' LIMIT 1", None)?;
    Ok(found.text.contains('1'))
}
