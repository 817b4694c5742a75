//! Peak memory of a statement, in a process of its own; Linux tells it.

use super::Result;
use super::ask::{Question, ask, connection};
use std::process::Command;

/// The word in front of a child's arguments.
pub const WORD: &str = "--peak-of";

/// The child: asks, and prints its peak in kB.
pub fn child(arguments: &[String]) -> Result<()> {
    if let [sql, parameter, threads] = arguments {
        ask(&connection(threads.parse()?, None)?, Question { sql, parameter })?;
    }
    println!("{}", peak().unwrap_or(0));
    Ok(())
}

fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

/// The peak in MB above that of a host which has the tables and asks nothing of them. `None` where nobody tells.
pub fn above_host(question: Question<'_>, threads: i64) -> Result<Option<f64>> {
    let idle = of_child(Question { sql: "SELECT ?1", ..question }, threads)?;
    let busy = of_child(question, threads)?;
    Ok((busy > 0).then(|| busy.saturating_sub(idle) as f64 / 1024.0))
}

fn of_child(question: Question<'_>, threads: i64) -> Result<u64> {
    let program = std::env::current_exe()?;
    let arguments = [WORD, question.sql, question.parameter, &threads.to_string()];
    let output = Command::new(program).args(arguments).output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into());
    }
    Ok(String::from_utf8(output.stdout)?.trim().parse()?)
}
