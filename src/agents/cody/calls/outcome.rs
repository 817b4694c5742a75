//! How a call ended, from what it left behind.
//!
//! The stored words do not tell: the program writes `done` whenever a tool's function returned, a failed command
//! included, and a Deep Cody step stays `pending` when it succeeded. What tells is the text that the tool wrote.

use super::state::ToolState;
use super::tool;
use crate::model::CallStatus;

/// A status with the evidence for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outcome {
    /// How it ended.
    pub status: CallStatus,
    /// What tells so.
    pub basis: &'static str,
    /// Of a command, where its text tells.
    pub exit_code: Option<i64>,
}

impl Outcome {
    /// An outcome without an exit code.
    pub const fn new(status: CallStatus, basis: &'static str) -> Self {
        Self { status, basis, exit_code: None }
    }

    /// Of a call whose result nobody has seen. In the last message of a chat it may still be running.
    pub const fn open(is_last: bool) -> Self {
        Self::new(if is_last { CallStatus::Pending } else { CallStatus::Unknown }, "no_result")
    }
}

/// The outcome of a call of the agentic chat; `None` without a result.
pub fn outcome(name: &str, result: Option<&str>, state: Option<&ToolState>) -> Option<Outcome> {
    let state = state.filter(|state| state.is_over());
    // The tool threw: the only word that is not written over.
    if state.is_some_and(|state| state.is("error")) {
        return Some(Outcome::new(CallStatus::Error, "state"));
    }
    if state.is_some_and(|state| state.is("canceled")) {
        return Some(Outcome::new(CallStatus::Canceled, "state"));
    }
    match result {
        Some(text) => Some(of_text(name, text)),
        None => state.map(|_| Outcome::new(CallStatus::Ok, "state")),
    }
}

fn of_text(name: &str, text: &str) -> Outcome {
    if text.strip_prefix("Error: Tool ").and_then(|rest| rest.strip_prefix(name)) == Some(" failed") {
        return Outcome::new(CallStatus::Error, "result_text");
    }
    let told = match name {
        tool::TERMINAL => of_terminal(text),
        tool::EDITOR if is_refused_edit(text) => Some(Outcome::new(CallStatus::Error, "failed_text")),
        _ => None,
    };
    told.unwrap_or(Outcome::new(CallStatus::Ok, "result"))
}

/// Since March 2025 a slip puts the state's word where the command's error output belongs, at the very end of the
/// text; before, the text told the exit code.
fn of_terminal(text: &str) -> Option<Outcome> {
    let ended = |status, exit_code| Some(Outcome { status, basis: "sterr_suffix", exit_code });
    let text = text.trim_end();
    if text.ends_with("<sterr>done</sterr>") {
        return ended(CallStatus::Ok, Some(0));
    }
    if text.ends_with("<sterr>error</sterr>") {
        return ended(CallStatus::Error, None);
    }
    let told = |status, code| Some(Outcome { status, basis: "exit_code_text", exit_code: code });
    if text.starts_with("Executed ") && text.contains("\n\nOutput:\n") {
        return told(CallStatus::Ok, Some(0));
    }
    let (_, code) = text.strip_prefix("Command: ")?.split_once("\n\nExited with code ")?;
    // A command that a signal ended has the code `null`.
    told(CallStatus::Error, code.lines().next().and_then(|code| code.trim().parse().ok()))
}

/// The sentences with which the editor tool says that it changed nothing.
fn is_refused_edit(text: &str) -> bool {
    ["Failed", "Parameter `", "Invalid line number", "Undo is not supported", "Error: "]
        .iter()
        .any(|start| text.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Document;

    #[test]
    fn the_text_tells() {
        use CallStatus::{Error, Ok};
        for (tool, text, status, basis, exit_code) in [
            ("run_terminal_command", "1 passed<sterr>done</sterr>", Ok, "sterr_suffix", Some(0)),
            ("run_terminal_command", "1 failed<sterr>error</sterr>", Error, "sterr_suffix", None),
            ("run_terminal_command", "cat x\n<sterr>error</sterr>\nmore", Ok, "result", None),
            ("run_terminal_command", "Executed ls\n\nOutput:\na", Ok, "exit_code_text", Some(0)),
            ("run_terminal_command", "Command: x\n\nExited with code 101\n\nOutput:\n", Error, "exit_code_text", Some(101)),
            ("run_terminal_command", "Command: x\n\nExited with code null\n\nOutput:\n", Error, "exit_code_text", None),
            ("run_terminal_command", "Error: Tool run_terminal_command failed", Error, "result_text", None),
            ("get_file", "<sterr>error</sterr>", Ok, "result", None),
            ("get_file", "Failed but only a file's text", Ok, "result", None),
            ("text_editor", "Failed: No replacement performed: text not found in x.py.", Error, "failed_text", None),
            ("text_editor", "Parameter `old_str` is required for command: str_replace", Error, "failed_text", None),
            ("text_editor", "Edited src/x.py\n```diff\n1 - a\n```", Ok, "result", None),
            ("tracker_list", "", Ok, "result", None),
        ] {
            let want = Outcome { status, basis, exit_code };
            assert_eq!(outcome(tool, Some(text), None), Some(want), "{tool}: {text}");
        }
    }

    #[test]
    fn only_some_state_words_tell() {
        use CallStatus::{Canceled, Error, Ok};
        for (word, text, expected) in [
            ("error", Some("Error: Tool x failed"), Some((Error, "state"))),
            ("canceled", None, Some((Canceled, "state"))),
            ("done", Some("Failed to replace text"), Some((Error, "failed_text"))),
            ("done", None, Some((Ok, "state"))),
            ("pending", None, None),
        ] {
            let item = format!(r#"{{"type":"tool-state","toolId":"t","status":"{word}"}}"#);
            let document = Document::parse(item.into_bytes()).unwrap();
            let state = ToolState::of(document.root());
            let found = outcome("text_editor", text, state.as_ref()).map(|found| (found.status, found.basis));
            assert_eq!(found, expected, "{word}");
        }
    }
}
