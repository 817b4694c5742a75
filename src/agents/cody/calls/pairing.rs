//! Calls and their results, message by message.

use super::Arguments;
use super::outcome::{Outcome, outcome};
use super::part::{CallPart, OwnResult, ResultPart, string};
use super::state::ToolState;
use super::step::{Confirmation, ProcessStep};
use super::tool::{Subject, TERMINAL_STEP};
use crate::json::Value;
use crate::model::{CallStatus, ToolCall};
use crate::table::Source;
use crate::text::Text;

/// A message at its place in a chat.
#[derive(Debug, Clone)]
pub struct Turn<'d> {
    /// The message.
    pub message: Value<'d>,
    /// Its position in the chat.
    pub index: i64,
    /// Its place.
    pub source: Source,
}

/// A call with all that is known of it.
#[derive(Debug, Clone, Default)]
pub struct Call {
    /// The row, without what the chat tells: session, time, project.
    pub row: ToolCall,
    /// What the model sent.
    pub arguments: Arguments,
    /// What the tool itself recorded.
    pub state: Option<ToolState>,
    /// How it ended, where the record of the call itself tells.
    told: Option<Outcome>,
}

/// Pairs the calls of a chat with their results, given its messages in order.
///
/// Results stand in the message behind the call's, so the calls of a message are complete when the next one has been
/// seen. Ids repeat, and pair only these two messages.
#[derive(Debug, Default)]
pub struct Pairing {
    held: Vec<Call>,
}

impl Pairing {
    /// Takes the next message and gives the calls of the one before.
    pub fn next(&mut self, turn: &Turn<'_>) -> Vec<Call> {
        let mut rows = Vec::new();
        for (index, part) in parts(turn.message).enumerate() {
            let place = turn.source.at(turn.source.pointer.join("content").join(index));
            let row = row(turn, index, place);
            if let Some(part) = CallPart::of(part) {
                rows.push(Call::of_part(part, row));
            } else if let Some(part) = ResultPart::of(part)
                && !self.answers(&part)
            {
                rows.push(Call::of_result(part, row));
            }
        }
        steps(turn, &mut rows);
        for state in ToolState::all_of(turn.message) {
            let place = turn.source.at(turn.source.pointer.join("contextFiles"));
            match self.held.iter_mut().chain(&mut rows).find(|call| call.is(&state.id)) {
                Some(call) => call.absorb(state),
                None => rows.push(Call::of_state(state, ToolCall { item_index: None, ..row(turn, 0, place) })),
            }
        }
        std::mem::replace(&mut self.held, rows).into_iter().map(|call| call.ended(false)).collect()
    }

    /// The calls of the last message.
    pub fn end(&mut self) -> Vec<Call> {
        std::mem::take(&mut self.held).into_iter().map(|call| call.ended(true)).collect()
    }

    /// Gives a result to the call of the message before that waits for it.
    fn answers(&mut self, part: &ResultPart) -> bool {
        let Some(id) = &part.id else { return false };
        let waiting = self.held.iter_mut().find(|call| call.is(id) && call.row.result.is_none());
        match waiting {
            Some(call) => call.row.result = part.content.clone().or_else(|| Some(Text::Static(""))),
            None => return false,
        }
        true
    }
}

/// The parts of a message, where it has any.
fn parts(message: Value<'_>) -> impl Iterator<Item = Value<'_>> {
    message.get("content").into_iter().flat_map(|parts| parts.items())
}

fn row(turn: &Turn<'_>, item: usize, source: Source) -> ToolCall {
    ToolCall {
        message_index: Some(turn.index),
        item_index: i64::try_from(item).ok(),
        model: turn.message.get("model").and_then(|model| model.as_str()).map(Into::into),
        source,
        ..ToolCall::default()
    }
}

/// The tool steps of a message stand behind its parts, or behind its text. A step that repeats the id of a call beside
/// it is that call.
fn steps(turn: &Turn<'_>, rows: &mut Vec<Call>) {
    let count = parts(turn.message).count();
    let first = if count == 0 { usize::from(string(turn.message, "text").is_some()) } else { count };
    for (index, step) in ProcessStep::all_of(turn.message).enumerate() {
        if !step.is("tool") {
            continue;
        }
        let place = turn.source.at(turn.source.pointer.join("processes").join(index));
        match step.id().and_then(|id| rows.iter_mut().find(|call| call.is(&id))) {
            Some(call) => call.told = ended(step),
            None => rows.push(Call::of_step(step, turn.message, row(turn, first + index, place))),
        }
    }
}

fn ended(step: ProcessStep<'_>) -> Option<Outcome> {
    Some(step.outcome(false)).filter(|outcome| *outcome != Outcome::open(false))
}

impl Call {
    fn of_part(part: CallPart, row: ToolCall) -> Self {
        let name = part.name.as_ref().map(|name| name.to_str()).unwrap_or_default();
        let Subject { command, path } = Subject::of_call(&name, &part.arguments);
        let own = part.own.unwrap_or(OwnResult { status: None, result: None });
        let is_error = own.status.is_some_and(|status| status == "error");
        Self {
            told: is_error.then_some(Outcome::new(CallStatus::Error, "state")),
            row: ToolCall {
                tool_use_id: part.id,
                arguments: part.arguments.text.clone(),
                arguments_complete: part.arguments.is_complete,
                command,
                path,
                result: own.result,
                tool_name: part.name.clone(),
                ..row
            },
            arguments: part.arguments,
            state: None,
        }
    }

    fn of_result(part: ResultPart, row: ToolCall) -> Self {
        let result = part.content.or(Some(Text::Static("")));
        Self { row: ToolCall { tool_use_id: part.id, result, ..row }, ..Self::default() }
    }

    fn of_state(state: ToolState, row: ToolCall) -> Self {
        let row = ToolCall { tool_use_id: Some(state.id.clone()), ..row };
        let mut call = Self { row, ..Self::default() };
        call.absorb(state);
        call
    }

    fn of_step(step: ProcessStep<'_>, message: Value<'_>, row: ToolCall) -> Self {
        let id = step.id();
        let tag = id.as_ref().map(|id| id.to_str()).unwrap_or_default();
        let Subject { command, path } = Subject::of_step(&tag, step.content());
        let told = ended(step);
        let is_refused = told.is_some_and(|outcome| outcome.status == CallStatus::Denied);
        let decision = match &command {
            _ if is_refused => Some("rejected"),
            Some(command) if tag == TERMINAL_STEP => decision(message, &command.to_str()),
            _ => None,
        };
        let row = ToolCall {
            tool_name: step.title().or_else(|| id.clone()),
            arguments: step.content_json(),
            command,
            path,
            result: step.result(),
            output: step.output(),
            decision,
            decision_reason: step.error_message().filter(|_| is_refused),
            tool_use_id: id.clone(),
            ..row
        };
        Self { row, told, ..Self::default() }
    }

    fn is(&self, id: &Text) -> bool {
        self.row.tool_use_id.as_ref() == Some(id)
    }

    /// The same record stands in two messages. The later one counts, unless the call was cut short before it.
    fn absorb(&mut self, state: ToolState) {
        if state.is_over() || self.state.is_none() {
            self.state = Some(state);
        }
    }

    /// Nothing more will come.
    fn ended(mut self, is_last: bool) -> Self {
        let row = &mut self.row;
        if let Some(state) = &self.state {
            row.tool_name = row.tool_name.take().or_else(|| state.name.clone());
            row.result = row.result.take().or_else(|| state.content.clone().filter(|_| state.is_over()));
            row.output = Some(state.item.clone());
        }
        let name = row.tool_name.as_ref().map(|name| name.to_str()).unwrap_or_default();
        let result = row.result.as_ref().map(|result| result.to_str());
        let seen = || outcome(&name, result.as_deref(), self.state.as_ref());
        let found = self.told.or_else(seen).unwrap_or(Outcome::open(is_last));
        (row.status, row.status_basis, row.exit_code) = (Some(found.status), Some(found.basis), found.exit_code);
        self
    }
}

/// What the user answered for the commands of a step, where the answers agree.
fn decision(message: Value<'_>, commands: &str) -> Option<&'static str> {
    let asked = ProcessStep::all_of(message).filter_map(|step| Confirmation::of(step, message)).filter(|found| {
        let command = found.step.content().map(|command| command.to_string()).unwrap_or_default();
        command == commands || commands.split(", ").any(|one| one == command)
    });
    let mut decisions = asked.map(|found| found.decision());
    let first = decisions.next()??;
    decisions.all(|other| other == Some(first)).then_some(first)
}
