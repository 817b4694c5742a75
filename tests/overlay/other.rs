//! Another process with a connection of its own, told what to do line by line.

use rusqlite::Connection;
use std::io::{BufRead, BufReader, Lines, Write};
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};

const PATH: &str = "OVERLAY_OTHER";

/// The process.
pub struct Other {
    child: Child,
    replies: Lines<BufReader<ChildStderr>>,
}

impl Other {
    /// Opens the store in a new process.
    pub fn open(path: &Path) -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--ignored", "--exact", "other::obey", "--nocapture"])
            .env(PATH, path)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let replies = BufReader::new(child.stderr.take().unwrap()).lines();
        Self { child, replies }
    }

    /// Runs SQL there: `ok`, or SQLite's words.
    pub fn run(&mut self, sql: &str) -> String {
        let line = sql.replace('\n', " ") + "\n";
        self.child.stdin.as_mut().unwrap().write_all(line.as_bytes()).unwrap();
        self.replies.next().unwrap().unwrap()
    }

    /// The same, where nothing may go wrong.
    pub fn must(&mut self, sql: &str) {
        assert_eq!(self.run(sql), "ok", "{sql}");
    }

    /// Ends it without a goodbye.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Other {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
#[ignore = "not a test: what the other process does"]
fn obey() {
    let Some(path) = std::env::var_os(PATH) else { return };
    let db = Connection::open(path).unwrap();
    db.execute_batch("PRAGMA busy_timeout=0").unwrap();
    for line in std::io::stdin().lines() {
        match db.execute_batch(&line.unwrap()) {
            Ok(()) => eprintln!("ok"),
            Err(error) => eprintln!("{}", error.to_string().lines().next().unwrap_or_default()),
        }
    }
}
