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
    tour(&shell, None)?;
    println!("\n=== Ask on ===\n\n{}", shell.invitation());
    Ok(())
}

/// The README's queries on one home; `None` is the user's own.
fn tour(shell: &Shell, home: Option<&Path>) -> Result<()> {
    for (words, sql) in readme::queries(&readme::read()?) {
        println!("\n-- {words}\n{}", sql.trim_end());
        let mut command = shell.command(&sql);
        command.current_dir(repository());
        match home {
            Some(home) => command.env("AGENT_HISTORY_ROOT", home),
            None => command.env_remove("AGENT_HISTORY_ROOT"),
        };
        let output = command.output().map_err(|e| format!("{:?}: {e}", command.get_program()))?;
        print!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        if output.stdout.is_empty() && output.status.success() {
            println!("(no rows)");
        }
        // Nobody's own history may end the tour, the demo home's must answer.
        if home.is_some() && !output.status.success() {
            return Err(format!("{:?}: {}", command.get_program(), output.status).into());
        }
    }
    Ok(())
}
