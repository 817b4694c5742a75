//! Which files a call changed, from what to what, as far as its record tells.
//!
//! The best evidence is the output of Zed's edit tools: both whole texts of the file. Older and failed calls leave the
//! hunks of the input, or a diff in what the model read. The other tools leave only paths.

use super::edit::Edit;
use super::fields::Fields;

use super::tool;
use crate::agents::zed::thread::item::{Call, ToolResult};
use crate::lines::{self, Counts};
use crate::model::{EditStatus, Operation};
use crate::table::Step;
use crate::text::Text;
use std::collections::HashSet;

/// One change of one file.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// The file as the call gave it.
    pub path: Option<Text>,
    /// Where a move or copy leads.
    pub destination: Option<Text>,
    /// What was done.
    pub operation: Operation,
    /// The whole file before, or with basis `input` or `diff_fence` the replaced part.
    pub old_text: Option<Text>,
    /// The whole file after, or the new part.
    pub new_text: Option<Text>,
    /// The recorded hunks.
    pub diff: Option<Text>,
    /// Whether it reached the file.
    pub status: EditStatus,
    /// `output`, `input` or `diff_fence`.
    pub basis: &'static str,
    /// Where it stands.
    pub at: At,
}

/// Where a change stands in its call's record.
#[derive(Debug, Clone, PartialEq)]
pub enum At {
    /// It is the call's only one.
    Call,
    /// At these steps inside the call.
    Inside(Vec<Step>),
    /// It is the n-th of several that no pointer leads to: listed in a text, or decoded from a string.
    Part(usize),
}

impl Change {
    /// Lines added and removed: of the recorded diff, else between the two texts. `None` where neither is recorded, and
    /// for a change that did not happen.
    pub fn lines(&self) -> Option<Counts> {
        if self.status == EditStatus::Failed {
            return None;
        }
        if let Some(diff) = &self.diff {
            let diff = diff.to_str();
            if !diff.is_empty() {
                return Some(lines::in_diff(&diff));
            }
        }
        let new = self.new_text.as_ref()?.to_str();
        match &self.old_text {
            Some(old) => lines::between(&old.to_str(), &new),
            None if self.operation == Operation::Create => lines::between("", &new),
            None => None,
        }
    }
}

/// The changes that a call, its result, or both together record; none for a tool that changes no file.
pub fn changes(call: Option<&Call<'_>>, result: Option<&ToolResult<'_>>) -> Vec<Change> {
    let Some(tool) = tool::name(call, result) else { return Vec::new() };
    let fields = call.map_or(Fields::Absent, Fields::of_call);
    let steps = call.map_or_else(Vec::new, input_steps);
    if tool == "batch_tool" {
        return batch(&steps, &fields, result);
    }
    Edit { tool: &tool, fields: &fields, result, status: status(result), steps }.changes()
}

fn status(result: Option<&ToolResult<'_>>) -> EditStatus {
    let Some(result) = result else { return EditStatus::Unknown };
    let is_error_output = result.output.is_some_and(|output| output.get("error").is_some());
    if is_error_output || result.is_error == Some(true) { EditStatus::Failed } else { EditStatus::Applied }
}

/// From the call to its input, the wrapper included.
fn input_steps(call: &Call<'_>) -> Vec<Step> {
    let is_wrapped = match (call.stored_input, call.input()) {
        (Some(stored), Some(input)) => stored.bytes().len() != input.bytes().len(),
        _ => false,
    };
    let steps: &[&str] = if is_wrapped { &["input", "value"] } else { &["input"] };
    steps.iter().map(|step| Step::Name(step)).collect()
}

/// The calls inside a batch share one result, which only names the tools whose calls failed.
fn batch(input: &[Step], fields: &Fields<'_>, result: Option<&ToolResult<'_>>) -> Vec<Change> {
    let whole = status(result);
    let text = result.and_then(|result| result.text().0).map(|text| text.to_string()).unwrap_or_default();
    let named = text.split("Tool '").skip(1).filter_map(|rest| rest.split_once("' error: "));
    let failing: HashSet<&str> = named.map(|(name, _)| name).collect();
    let invocations = Fields::of(fields.get("invocations"));
    let is_stored = !fields.is_decoded() && !invocations.is_decoded();
    let Some(invocations) = invocations.value() else { return Vec::new() };
    let mut changes = Vec::new();
    for (index, invocation) in invocations.items().enumerate() {
        let Some(name) = invocation.get("name").and_then(|name| name.as_str()) else { continue };
        let is_doubtful = whole == EditStatus::Applied && failing.contains(&*name);
        let status = if is_doubtful { EditStatus::Unknown } else { whole };
        let mut steps = input.to_vec();
        steps.extend([Step::Name("invocations"), Step::Index(index)]);
        let own = At::Inside(steps.clone());
        steps.push(Step::Name("input"));
        let fields = Fields::of(invocation.get("input"));
        let edit = Edit { tool: &tool::snake_case(name), fields: &fields, result: None, status, steps };
        for change in edit.changes() {
            let at = match change.at {
                At::Call if is_stored => own.clone(),
                At::Inside(steps) if is_stored => At::Inside(steps),
                _ => At::Part(changes.len()),
            };
            changes.push(Change { at, ..change });
        }
    }
    changes
}
