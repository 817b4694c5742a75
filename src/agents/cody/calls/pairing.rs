//! Calls and their results, message by message.

use super::Arguments;
use super::outcome::{Outcome, outcome};
use super::part::{CallPart, OwnResult, ResultPart};
use super::state::ToolState;
use super::step::{Confirmation, ProcessStep};
use super::tool::{Subject, TERMINAL_STEP};
use crate::agents::cody::transcript::Said;
use crate::agents::cody::transcript::items::{Place, items};
use crate::json::Value;
use crate::model::{CallStatus, MessageKind, ToolCall, TurnType};
use crate::text::Text;

/// A call with all that is known of it.
#[derive(Debug, Clone, Default)]
pub struct Call {
    /// The row.
    pub row: ToolCall,
    /// What the model sent.
    pub arguments: Arguments,
    /// What the tool itself recorded.
    pub state: Option<ToolState>,
    /// How it ended, where the record of the call itself tells.
    told: Option<Outcome>,
    /// Did the model call it in a part of its answer?
    is_part: bool,
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
    /// Takes the next message and gives the calls of the one before. `base` says of the message what its rows share:
    /// chat, position, time, and its place as `source`.
    pub fn next(&mut self, said: &Said<'_>, base: &ToolCall) -> Vec<Call> {
        let message = said.value;
        let mut rows: Vec<Call> = Vec::new();
        for (index, item) in (0..).zip(items(said)) {
            let row = ToolCall { item_index: Some(index), ..placed(base, item.place) };
            match (item.kind, item.turn) {
                (MessageKind::ToolUse, _) => rows.extend(CallPart::of(item.value).map(|part| Call::of_part(part, row))),
                (MessageKind::ToolResult, _) => {
                    let part = ResultPart::of(item.value).filter(|part| !self.answers(part));
                    rows.extend(part.map(|part| Call::of_result(part, row)));
                }
                (MessageKind::Step, TurnType::ToolUse) => {
                    let step = ProcessStep::of(item.value);
                    // A step that repeats the id of a call beside it is that call.
                    match step.id().and_then(|id| rows.iter_mut().find(|call| call.is_part(&id))) {
                        Some(call) => call.told = ended(step),
                        None => rows.push(Call::of_step(step, message, row)),
                    }
                }
                _ => {}
            }
        }
        for (place, state) in ToolState::all_of(message) {
            match self.held.iter_mut().chain(&mut rows).find(|call| call.is(&state.id)) {
                Some(call) => call.absorb(state),
                None => rows.push(Call::of_state(state, placed(base, Place::Element("contextFiles", place)))),
            }
        }
        std::mem::replace(&mut self.held, rows).into_iter().map(|call| call.ended(false)).collect()
    }

    /// The calls of the message seen last. `is_last`: nothing stands behind it in the chat.
    pub fn end(&mut self, is_last: bool) -> Vec<Call> {
        std::mem::take(&mut self.held).into_iter().map(|call| call.ended(is_last)).collect()
    }

    /// Gives a result to the call of the message before that waits for it.
    fn answers(&mut self, part: &ResultPart) -> bool {
        let Some(id) = &part.id else { return false };
        let waiting = self.held.iter_mut().find(|call| call.is(id) && call.row.result.is_none());
        match waiting {
            Some(call) => call.row.result = part.content.clone().or(Some(Text::Static(""))),
            None => return false,
        }
        true
    }
}

/// The row at a place in the message.
fn placed(base: &ToolCall, place: Place) -> ToolCall {
    ToolCall { source: base.source.at(place.pointer(&base.source.pointer)), ..base.clone() }
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
            is_part: true,
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

    fn is_part(&self, id: &Text) -> bool {
        self.is_part && self.is(id)
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
