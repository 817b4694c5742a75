//! The steps of Deep Cody, which gathers context before the model answers: tools that it ran, questions that it asked.

use super::outcome::Outcome;
use super::part::string;
use super::tool::TERMINAL_STEP;
use crate::agents::cody::transcript::uri::Uri;
use crate::json::{Kind, Value};
use crate::model::CallStatus;
use crate::text::Text;
use std::borrow::Cow;

/// What the program answers for a command that a list of the settings excludes.
const BLOCKED: &str = "Cody cannot execute this command";

/// An element of `processes[]`.
#[derive(Debug, Clone, Copy)]
pub struct ProcessStep<'d>(Value<'d>);

impl<'d> ProcessStep<'d> {
    /// The step.
    pub const fn of(step: Value<'d>) -> Self {
        Self(step)
    }

    /// The steps of a message, in order.
    pub fn all_of(message: Value<'d>) -> impl Iterator<Item = Self> {
        message.get("processes").into_iter().flat_map(|steps| steps.items()).map(Self)
    }

    /// `tool`, `confirmation` or `step`; steps of 1.56 to 1.60 have none.
    pub fn is(&self, kind: &str) -> bool {
        self.0.get("type").is_some_and(|found| found.is_str(kind))
    }

    /// The tag of the tool, which repeats in every message.
    pub fn id(&self) -> Option<Text> {
        string(self.0, "id")
    }

    /// What the user sees as its name.
    pub fn title(&self) -> Option<Text> {
        string(self.0, "title")
    }

    /// A sentence about it.
    pub fn description(&self) -> Option<Text> {
        string(self.0, "description")
    }

    /// What was asked for: commands, names, queries, several joined by `, `.
    pub fn content(&self) -> Option<Text> {
        string(self.0, "content")
    }

    /// The same as JSON.
    pub fn content_json(&self) -> Option<Text> {
        self.0.get("content").filter(|content| !content.is_null()).map(|content| content.compact())
    }

    /// `pending`, `success` or `error`, under the name of its time.
    pub fn state(&self) -> Option<Cow<'d, str>> {
        self.0.get("state").or_else(|| self.0.get("status"))?.as_str()
    }

    /// Why it failed.
    pub fn error_message(&self) -> Option<Text> {
        let error = self.0.get("error")?;
        if error.kind() == Kind::String { error.text() } else { string(error, "message") }
    }

    /// What it brought, where it brought something: the items as JSON.
    pub fn output(&self) -> Option<Text> {
        let items = self.0.get("items").filter(|items| items.kind() == Kind::Array && !items.is_empty())?;
        Some(items.compact())
    }

    /// What a person would read of it: the items' contents, or the error.
    pub fn result(&self) -> Option<Text> {
        let contents: Vec<Text> = self.items().filter_map(|item| string(item, "content")).collect();
        if contents.is_empty() { self.error_message() } else { Some(Text::lines(contents)) }
    }

    fn items(&self) -> impl Iterator<Item = Value<'d>> {
        self.0.get("items").into_iter().flat_map(|items| items.items())
    }

    /// How a tool's step ended. Success is told by the items, as its state stays `pending`.
    pub fn outcome(&self, is_last: bool) -> Outcome {
        let error = self.error_message();
        if let Some(message) = &error
            && message.to_str().contains("No commands approved for execution")
        {
            return Outcome::new(CallStatus::Denied, "error_text");
        }
        match self.state().as_deref() {
            Some("error") => Outcome::new(CallStatus::Error, "state"),
            _ if error.is_some() => Outcome::new(CallStatus::Error, "error_text"),
            _ if self.items().next().is_some() => self.outcome_of_items(),
            Some("success") => Outcome::new(CallStatus::Ok, "state"),
            _ => Outcome::open(is_last),
        }
    }

    /// A command that failed, or that a list of the settings excludes, brings an item all the same.
    fn outcome_of_items(&self) -> Outcome {
        let is_terminal = self.id().is_some_and(|id| id == TERMINAL_STEP);
        let (mut failed, mut blocked, mut all) = (0, 0, 0);
        for item in self.items().filter(|_| is_terminal) {
            all += 1;
            failed += i32::from(item.get("title").is_some_and(|title| title.is_str("Terminal Output Error")));
            blocked += i32::from(is_blocked(item));
        }
        if all > 0 && blocked == all {
            Outcome::new(CallStatus::AutoDenied, "items")
        } else if failed > 0 {
            Outcome::new(CallStatus::Error, "items")
        } else {
            Outcome::new(CallStatus::Ok, "items")
        }
    }
}

fn is_blocked(item: Value<'_>) -> bool {
    item.get("content").and_then(|content| content.as_str()).is_some_and(|content| content.contains(BLOCKED))
}

/// A question to the user whether a command may run, with what became of it.
#[derive(Debug, Clone, Copy)]
pub struct Confirmation<'d> {
    /// The step that asks.
    pub step: ProcessStep<'d>,
    /// What the command brought, where it ran.
    trace: Option<Value<'d>>,
}

impl<'d> Confirmation<'d> {
    /// Reads a step of type `confirmation`; `None` for every other. `message` is the one that holds it: a command that
    /// ran left an item in another step's `items` or in the message's context.
    pub fn of(step: ProcessStep<'d>, message: Value<'d>) -> Option<Self> {
        if !step.is("confirmation") {
            return None;
        }
        let command = step.content().map(|command| command.to_string()).filter(|command| !command.is_empty());
        let trace = command.and_then(|command| {
            let context = message.get("contextFiles").into_iter().flat_map(|items| items.items());
            let brought = ProcessStep::all_of(message).flat_map(|step| step.0.get("items")).flat_map(|i| i.items());
            brought.chain(context).find(|item| is_output_of(*item, &command))
        });
        Some(Self { step, trace })
    }

    /// `rejected`; `approved`, when the command left a trace; `approved_or_unanswered`, as an approval changes nothing
    /// in the step. `None` for states that no known version writes.
    pub fn decision(&self) -> Option<&'static str> {
        let state = self.step.state();
        let is_rejected = self.step.error_message().is_some_and(|message| message == "Command rejected");
        match state.as_deref() {
            Some("error") if is_rejected => Some("rejected"),
            Some("pending" | "success") if self.trace.is_some() => Some("approved"),
            Some("pending") => Some("approved_or_unanswered"),
            _ => None,
        }
    }

    /// Why: the step's error, or the answer that a list of the settings gave to an approved command.
    pub fn reason(&self) -> Option<Text> {
        let blocked = self.trace.filter(|item| is_blocked(*item)).and_then(|item| string(item, "content"));
        self.step.error_message().or(blocked)
    }
}

/// Is this the terminal's output of `command`? The program files it under a URI whose path is the command.
fn is_output_of(item: Value<'_>, command: &str) -> bool {
    if !item.get("source").is_some_and(|source| source.is_str("terminal")) {
        return false;
    }
    let Some(address) = item.get("uri") else { return false };
    let path = match address.get("path").and_then(|path| path.as_str()) {
        Some(path) => Some(path),
        None => Uri::of(address).and_then(|uri| uri.path()).map(Cow::Owned),
    };
    // On Windows the backslashes of a path are turned round.
    let turned = |text: &str| text.replace('\\', "/");
    path.is_some_and(|path| {
        let (path, command) = (turned(&path), turned(command));
        path == command || path.strip_prefix('/').is_some_and(|path| path == command)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Document;

    fn parsed(text: &str) -> Document {
        Document::parse(text.as_bytes().to_vec()).unwrap()
    }

    /// K24, and the states of other versions.
    #[test]
    fn confirmations_are_decided_by_what_they_left() {
        let message = parsed(
            r#"{"processes": [
              {"type": "step", "id": "deep-cody", "state": "success"},
              {"type": "tool", "id": "TOOLCLI", "state": "pending", "items": [
                {"type": "file", "source": "terminal", "title": "Terminal Output", "content": "x",
                 "uri": {"$mid": 1, "path": "/git log", "scheme": "file"}},
                {"source": "terminal", "title": "Terminal Output Error", "uri": "file:///rm%20-rf%20x",
                 "content": "Failed to run rm -rf x in terminal:\nError: Cody cannot execute this command"}]},
              {"type": "confirmation", "id": "TOOLCLI-1", "title": "Terminal", "content": "git log", "state": "pending"},
              {"type": "confirmation", "id": "TOOLCLI-2", "content": "rm -rf x", "state": "pending"},
              {"type": "confirmation", "id": "TOOLCLI-3", "content": "/bin/ls C:\\x", "state": "pending"},
              {"type": "confirmation", "id": "TOOLCLI-4", "content": "curl x", "state": "error",
               "error": {"name": "Error", "message": "Command rejected"}},
              {"type": "confirmation", "id": "TOOLCLI-5", "content": "git status", "state": "pending"},
              {"type": "confirmation", "id": "TOOLCLI-6", "content": "", "state": "success"},
              {"type": "confirmation", "id": "TOOLCLI-7", "state": "error", "error": "aborted"}],
             "contextFiles": [
              {"type": "file", "source": "terminal", "uri": {"path": "/bin/ls C:/x", "scheme": "file"}},
              {"type": "file", "source": "user", "uri": {"path": "/git status", "scheme": "file"}}]}"#,
        );
        let confirmations = ProcessStep::all_of(message.root()).filter_map(|s| Confirmation::of(s, message.root()));
        let found: Vec<_> = confirmations
            .map(|found| (found.decision(), found.reason().map(|reason| reason.to_string())))
            .collect();
        assert_eq!(
            found,
            [
                (Some("approved"), None),
                (
                    Some("approved"),
                    Some("Failed to run rm -rf x in terminal:\nError: Cody cannot execute this command".to_owned())
                ),
                (Some("approved"), None),
                (Some("rejected"), Some("Command rejected".to_owned())),
                (Some("approved_or_unanswered"), None),
                (None, None),
                (None, Some("aborted".to_owned())),
            ]
        );
    }

    #[test]
    fn a_step_is_over_when_it_brought_something() {
        use CallStatus::{AutoDenied, Denied, Error, Ok, Pending};
        let output = r#"{"source":"terminal","title":"Terminal Output","content":"a"}"#;
        let failed = r#"{"source":"terminal","title":"Terminal Output Error","content":"Failed to run x in terminal:\n1"}"#;
        let blocked = r#"{"title":"Terminal Output Error","content":"Error: Cody cannot execute this command"}"#;
        for (step, status, basis) in [
            (format!(r#""id":"TOOLCLI","state":"pending","items":[{output}]"#), Ok, "items"),
            (format!(r#""id":"TOOLCLI","state":"pending","items":[{output},{failed}]"#), Error, "items"),
            (format!(r#""id":"TOOLCLI","state":"pending","items":[{blocked}]"#), AutoDenied, "items"),
            (format!(r#""id":"TOOLCLI","state":"pending","items":[{blocked},{output}]"#), Error, "items"),
            (format!(r#""id":"TOOLFILE","state":"pending","items":[{failed}]"#), Ok, "items"),
            (r#""id":"TOOLFILE","state":"error","error":{"message":"no such file"}"#.to_owned(), Error, "state"),
            (
                r#""id":"TOOLCLI","state":"error","error":{"message":"No commands approved for execution"}"#.to_owned(),
                Denied,
                "error_text",
            ),
            (r#""id":"TOOLCLI","status":"pending","error":"timed out after 30000ms""#.to_owned(), Error, "error_text"),
            (r#""id":"TOOLSEARCH","state":"success""#.to_owned(), Ok, "state"),
            (r#""id":"TOOLSEARCH","state":"pending","items":[]"#.to_owned(), Pending, "no_result"),
            (r#""id":"TOOLSEARCH""#.to_owned(), Pending, "no_result"),
        ] {
            let message = parsed(&format!(r#"{{"processes":[{{"type":"tool",{step}}}]}}"#));
            let found = ProcessStep::all_of(message.root()).next().unwrap().outcome(true);
            assert_eq!(found, Outcome::new(status, basis), "{step}");
        }
    }
}
