//! How a call ended: the store's words, and what the result says against them.

use super::fields::Fields;
use super::refusal::{Decision, Refusal, refusal};
use super::terminal::{Ended, ended};
use super::tool;
use crate::agents::zed::thread::item::{Call, ToolResult};
use crate::json::{Document, Value};
use crate::model::CallStatus;
use crate::text::Text;

/// How a call ended, and what tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// How it ended.
    pub status: CallStatus,
    /// The evidence: `no_result`, `result`, `is_error`, `refusal_text`, `exit_code_text` or `terminal_text`.
    pub basis: &'static str,
    /// A command's exit code.
    pub exit_code: Option<i64>,
    /// Who refused the call.
    pub refusal: Option<Refusal>,
}

impl Outcome {
    fn new(status: CallStatus, basis: &'static str) -> Self {
        Self { status, basis, exit_code: None, refusal: None }
    }
}

/// Judges a call by its result. `is_last` says whether it stands in the document's last message: there a call without
/// a result was still running when the thread was saved.
pub fn outcome(call: Option<&Call<'_>>, result: Option<&ToolResult<'_>>, is_last: bool) -> Outcome {
    let Some(result) = result else {
        return Outcome::new(if is_last { CallStatus::Pending } else { CallStatus::Unknown }, "no_result");
    };
    let is_error = result.is_error;
    if is_error == Some(true)
        && let Some(refusal) = refused(result)
    {
        let status = match refusal.decision {
            Decision::Denied => CallStatus::Denied,
            Decision::AutoDenied => CallStatus::AutoDenied,
            Decision::Canceled => CallStatus::Canceled,
        };
        return Outcome { refusal: Some(refusal), ..Outcome::new(status, "refusal_text") };
    }
    match (is_error, command_ended(call, result)) {
        (_, Some(Ended::Stopped)) => Outcome::new(CallStatus::Canceled, "terminal_text"),
        (_, Some(Ended::Died)) => Outcome::new(CallStatus::Error, "terminal_text"),
        (Some(true), Some(Ended::Exited(0))) | (Some(true), None) => Outcome::new(CallStatus::Error, "is_error"),
        (_, Some(Ended::Exited(code))) => {
            let status = if code == 0 { CallStatus::Ok } else { CallStatus::Error };
            Outcome { exit_code: Some(code), ..Outcome::new(status, "exit_code_text") }
        }
        (Some(false), None) => Outcome::new(CallStatus::Ok, "is_error"),
        (None, None) => Outcome::new(CallStatus::Ok, "result"),
    }
}

/// Reads an error result as a refusal: by the whole of what the model read, or of the error beside it.
fn refused(result: &ToolResult<'_>) -> Option<Refusal> {
    let read = result.text().0.and_then(|text| refusal(&text));
    read.or_else(|| error(result).and_then(|error| refusal(&error)))
}

/// The error in words, where the output tells it apart from the content: a string, `{"error":…}`, or content items.
/// The content of an edit tool's error has a sentence behind it.
fn error(result: &ToolResult<'_>) -> Option<Text> {
    let output = result.output?;
    match output.get("error") {
        Some(error) => error.text(),
        None => ToolResult { content: Some(output), ..*result }.text().0,
    }
}

fn command_ended(call: Option<&Call<'_>>, result: &ToolResult<'_>) -> Option<Ended> {
    if !tool::name(call, Some(result)).is_some_and(|tool| tool::is_terminal(&tool)) {
        return None;
    }
    let command = call.and_then(|call| Fields::of_call(call).text("command"));
    ended(&result.text().0?.to_str(), command.as_ref().map(Text::to_str).as_deref())
}

/// The session of the subagent that a call started, or sent another message to.
pub fn child_session(call: Option<&Call<'_>>, result: Option<&ToolResult<'_>>) -> Option<Text> {
    if !tool::is_subagent(&tool::name(call, result)?) {
        return None;
    }
    let answered = result.and_then(|result| result.output.and_then(session_of).or_else(|| session_of_text(result)));
    answered.or_else(|| named(Fields::of_call(call?).get("session_id")))
}

/// The id in a subagent's output, under the names of its eras.
fn session_of(output: Value<'_>) -> Option<Text> {
    let info = output.get("session_info").and_then(|info| named(info.get("session_id")));
    named(output.get("session_id")).or_else(|| named(output.get("subagent_session_id"))).or(info)
}

/// What the model read is the same object as JSON.
fn session_of_text(result: &ToolResult<'_>) -> Option<Text> {
    let text = result.text().0?;
    let document = Document::parse(text.to_str().into_owned().into_bytes()).ok()?;
    session_of(document.root())
}

/// A blank id means none.
fn named(id: Option<Value<'_>>) -> Option<Text> {
    id?.text().filter(|id| !id.to_str().trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::super::tests::one_call;
    use super::*;

    fn judged(call: &str, result: &str) -> Outcome {
        one_call(call, result, |call, result| outcome(call, result, true))
    }

    const TEST: &str = r#""name":"terminal","input":{"command":"cargo test"}"#;
    const READ: &str = r#""name":"read_file","input":{"path":"a"}"#;

    #[test]
    fn results_tell_how_calls_ended() {
        for (call, result, status, basis, exit_code) in [
            (READ, r#"{"is_error":false,"content":[{"Text":"a"}]}"#, "ok", "is_error", None),
            (READ, r#"{"is_error":true,"content":[{"Text":"a"}]}"#, "error", "is_error", None),
            (READ, r#"{"content":"a"}"#, "ok", "result", None),
            (READ, "", "pending", "no_result", None),
            (TEST, r#"{"is_error":false,"content":"Command executed successfully."}"#, "ok", "exit_code_text", Some(0)),
            (
                TEST,
                r#"{"is_error":false,"content":"Command \"cargo test\" failed with exit code 101.\n\n```\nx\n```"}"#,
                "error",
                "exit_code_text",
                Some(101),
            ),
            (
                TEST,
                r#"{"is_error":false,"content":[{"Text":"```\nCommand \"x\" failed with exit code 9.\n```"}]}"#,
                "ok",
                "exit_code_text",
                Some(0),
            ),
            (TEST, r#"{"is_error":false,"content":"3 passed"}"#, "ok", "is_error", None),
            (TEST, r#"{"is_error":false,"content":"Command \"cargo test\" timed out. No …"}"#, "error", "terminal_text", None),
            (TEST, r#"{"is_error":false,"content":"The user stopped this command. No …"}"#, "canceled", "terminal_text", None),
            (TEST, r#"{"is_error":false,"content":"Command terminated unexpectedly. No …"}"#, "error", "terminal_text", None),
            // An error whose text looks like an output is an error still.
            (TEST, r#"{"is_error":true,"content":"```\nx\n```"}"#, "error", "is_error", None),
            // The words of a terminal mean nothing elsewhere.
            (READ, r#"{"is_error":false,"content":"Command executed successfully."}"#, "ok", "is_error", None),
            (
                "",
                r#"{"tool_name":"terminal","is_error":false,"content":"Command \"a\" failed with exit code 2."}"#,
                "error",
                "exit_code_text",
                Some(2),
            ),
        ] {
            let outcome = judged(call, result);
            assert_eq!((outcome.status.as_str(), outcome.basis, outcome.exit_code), (status, basis, exit_code), "{result}");
            assert_eq!(outcome.refusal, None, "{result}");
        }
        assert_eq!(outcome(None, None, false).status, CallStatus::Unknown);
    }

    #[test]
    fn refusals_are_errors_with_a_sentence() {
        let denied = "Permission to run tool denied by user";
        for (result, status, reason) in [
            (r#"{"is_error":true,"content":[{"Text":"Permission to run tool denied by user"}]}"#, "denied", None),
            (r#"{"is_error":true,"content":"terminal tool is disabled"}"#, "auto_denied", Some("terminal tool is disabled")),
            (r#"{"is_error":true,"content":{"Text":"Tool canceled by user"}}"#, "canceled", None),
            // The sentence of an edit tool's error has another behind it; the output has not.
            (
                r#"{"is_error":true,"content":"Blocked by global default: deny\nNo edits were made.",
                    "output":{"error":"Blocked by global default: deny"}}"#,
                "auto_denied",
                Some("Blocked by global default: deny"),
            ),
            (
                r#"{"is_error":true,"content":"x","output":[{"Text":"Permission to run tool denied by user"}]}"#,
                "denied",
                None,
            ),
            (r#"{"is_error":true,"content":"x","output":"Tool canceled by user"}"#, "canceled", None),
        ] {
            let outcome = judged(READ, result);
            assert_eq!((outcome.status.as_str(), outcome.basis), (status, "refusal_text"), "{result}");
            let refusal = outcome.refusal.unwrap();
            assert_eq!(refusal.decision.as_str(), status);
            assert_eq!(refusal.reason.map(|reason| reason.to_string()).as_deref(), reason, "{result}");
        }
        for (result, status) in [
            (format!(r#"{{"is_error":false,"content":"{denied}"}}"#), "ok"),
            (format!(r#"{{"is_error":true,"content":"grep: {denied} was not found"}}"#), "error"),
        ] {
            let outcome = judged(READ, &result);
            assert_eq!((outcome.status.as_str(), outcome.refusal), (status, None), "{result}");
        }
    }

    #[test]
    fn a_subagent_has_a_session() {
        for (call, result, expected) in [
            ("subagent", r#"{"output":{"subagent_session_id":"c1","summary":"done"}}"#, Some("c1")),
            ("spawn_agent", r#"{"output":{"session_id":"c1","output":"done"}}"#, Some("c1")),
            ("spawn_agent", r#"{"output":{"error":"e","session_info":{"session_id":"c1"}}}"#, Some("c1")),
            ("spawn_agent", r#"{"output":{"error":"e","session_info":null}}"#, Some("c0")),
            ("spawn_agent", r#"{"output":null,"content":[{"Text":"{\"output\":\"o\",\"session_id\":\"c1\"}"}]}"#, Some("c1")),
            ("spawn_agent", r#"{"output":{"session_id":" "}}"#, Some("c0")),
            ("subagent", r#"{"output":"done","content":"done"}"#, Some("c0")),
            ("spawn_agent", "", Some("c0")),
            ("read_file", r#"{"output":{"session_id":"c1"}}"#, None),
        ] {
            let stored = format!(r#""name":"{call}","input":{{"session_id":"c0"}}"#);
            let child = one_call(&stored, result, child_session);
            assert_eq!(child.map(|id| id.to_string()).as_deref(), expected, "{call}");
        }
    }
}
