//! Python scripts that answer the same questions. They run where the interpreter, `PYTHON`, has the modules.

use super::Result;
use super::ask::Counts;
use super::clock::Took;
use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;
use std::time::Duration;

/// A script that takes a store and a JSON module, and prints seconds of processors and by the clock.
#[derive(Debug, Clone, Copy)]
pub enum Script {
    /// `threads.py`
    Threads,
    /// `chats.py`
    Chats,
}

fn interpreter() -> String {
    std::env::var("PYTHON").unwrap_or_else(|_| "python3".into())
}

/// Are the modules there?
pub fn is_there() -> bool {
    static IS_THERE: LazyLock<bool> = LazyLock::new(|| {
        let output = Command::new(interpreter()).args(["-c", "import zstandard, orjson"]).output();
        output.is_ok_and(|output| output.status.success())
    });
    *IS_THERE
}

/// Runs a script: how long it took, and what it counted.
pub fn run(script: Script, store: &Path, module: &str) -> Result<(Took, Counts)> {
    let text = match script {
        Script::Threads => include_str!("threads.py"),
        Script::Chats => include_str!("chats.py"),
    };
    let output = Command::new(interpreter()).args(["-c", text]).arg(store).arg(module).output()?;
    let said = String::from_utf8(output.stdout)?;
    let mut lines = said.lines().filter_map(|line| line.split_once(' '));
    let Some((cpu, wall)) = lines.next() else {
        return Err(format!("python: {}", String::from_utf8_lossy(&output.stderr)).into());
    };
    let seconds = |word: &str| word.parse().map(Duration::from_secs_f64);
    let took = Took { cpu: seconds(cpu)?, wall: seconds(wall)? };
    let counts = lines.map(|(turn, count)| Ok((turn.to_owned(), count.parse()?)));
    Ok((took, counts.collect::<Result<_>>()?))
}
