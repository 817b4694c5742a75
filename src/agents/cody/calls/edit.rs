//! Changes of files: what the editor tool did, and what an answer in the chat's edit mode proposes.
//!
//! The tool keeps the whole file before and after a replacement beside its answer. For other calls the arguments tell.

use super::pairing::Call;
use super::tool::EDITOR;
use crate::agents::cody::transcript::items::items;
use crate::agents::cody::transcript::{Role, Said, Turn};
use crate::json::Value;
use crate::lines::{self, Counts};
use crate::model::{CallStatus, Edit, EditStatus, MessageKind, Operation, ToolCall};
use crate::text::Text;

/// The change that a call of the editor tool made or tried; `None` for the other tools.
pub fn of_call(call: &Call) -> Option<Edit> {
    let row = &call.row;
    if row.tool_name.as_ref()? != EDITOR {
        return None;
    }
    let arguments = &call.arguments;
    let command = arguments.string("command").map(|command| command.to_string()).unwrap_or_default();
    let files = call.state.as_ref().and_then(|state| state.files.clone());
    let diff = row.result.as_ref().and_then(|result| lines::fenced_diff(&result.to_str()).map(Text::from));
    let has_files = files.is_some();
    let (old_text, new_text) = match (files, &*command) {
        (Some((old, new)), _) => (Some(old), Some(new)),
        (None, "create") => (None, arguments.string("file_text")),
        // The tool puts nothing in the place of the text when it is told nothing.
        (None, "str_replace") => (arguments.string("old_str"), arguments.string("new_str").or(Some(Text::Static("")))),
        (None, "insert") => (None, arguments.string("new_str")),
        (None, _) => (None, None),
    };
    let is_told = old_text.is_some() || new_text.is_some();
    let operation = if command == "create" { Operation::Create } else { Operation::Edit };
    let status = status(row, old_text.as_ref(), new_text.as_ref(), diff.as_ref());
    let counts = counts(&command, old_text.as_ref(), new_text.as_ref(), diff.as_ref());
    let counts = counts.filter(|_| status != EditStatus::Failed);
    Some(Edit {
        path: row.path.clone(),
        absolute_path: call.state.as_ref().and_then(|state| state.file.clone()),
        operation: Some(operation),
        lines_added: counts.map(|counts| counts.0),
        lines_removed: counts.map(|counts| counts.1),
        status: Some(status),
        basis: Some(match () {
            () if has_files => "metadata",
            () if !is_told && diff.is_some() => "diff_fence",
            () => "input",
        }),
        old_text,
        new_text,
        diff,
        ..beside(row)
    })
}

/// What a change shares with its call, session and time included.
pub fn beside(row: &ToolCall) -> Edit {
    Edit {
        agent: row.agent,
        session_id: row.session_id.clone(),
        message_index: row.message_index,
        item_index: row.item_index,
        tool_use_id: row.tool_use_id.clone(),
        tool_name: row.tool_name.clone(),
        timestamp_utc: row.timestamp_utc,
        timestamp_basis: row.timestamp_basis,
        project_path: row.project_path.clone(),
        model: row.model.clone(),
        source: row.source.clone(),
        ..Edit::default()
    }
}

fn status(row: &ToolCall, old: Option<&Text>, new: Option<&Text>, diff: Option<&Text>) -> EditStatus {
    let is_same = old.is_some() && old == new;
    match row.status {
        Some(CallStatus::Ok) if is_same || diff.is_some_and(|diff| *diff == "// No changes detected") => {
            EditStatus::Unchanged
        }
        Some(CallStatus::Ok) => EditStatus::Applied,
        Some(CallStatus::Pending | CallStatus::Unknown) | None => EditStatus::Unknown,
        Some(_) => EditStatus::Failed,
    }
}

/// Lines between the two texts, where both are known; an insertion adds its lines; else those of the diff.
fn counts(command: &str, old: Option<&Text>, new: Option<&Text>, diff: Option<&Text>) -> Option<Counts> {
    match (old, new, command) {
        (Some(old), Some(new), _) => lines::between(&old.to_str(), &new.to_str()),
        (None, Some(new), "create") => lines::between("", &new.to_str()),
        (None, Some(new), "insert") => {
            Some((i64::try_from(new.to_str().split('\n').count()).unwrap_or(i64::MAX), 0))
        }
        _ => diff.map(|diff| signed_lines(&diff.to_str())),
    }
}

/// The lines of a diff without hunks, each with its sign: behind the number of the line, or in front.
fn signed_lines(diff: &str) -> Counts {
    let mut counts = (0, 0);
    for line in diff.lines() {
        let behind_number = line.trim_start().trim_start_matches(|c: char| c.is_ascii_digit());
        let is_numbered = behind_number.len() < line.trim_start().len();
        let sign = if is_numbered { behind_number.strip_prefix(' ').unwrap_or_default() } else { line };
        match sign.as_bytes().first() {
            Some(b'+') => counts.0 += 1,
            Some(b'-') => counts.1 += 1,
            _ => {}
        }
    }
    counts
}

/// The change that an answer of the chat's edit mode proposes: a diff of the file in the active editor, whose name the
/// chat does not keep. Nothing tells whether the user took it. `None` for every other message.
///
/// The mode is the prompt's intent; some builds wrote it on the answer as well, the last ones do not.
pub fn proposed(turn: &Turn, said: &Said<'_>, base: &ToolCall) -> Option<Edit> {
    let intent = |message: Value<'_>| message.get("intent").and_then(|intent| Some(intent.as_str()?.into_owned()));
    let prompts = || turn.messages().filter(|said| said.role == Role::Human);
    let own = Some(said).filter(|said| said.role == Role::Assistant)?;
    let intent = intent(own.value).or_else(|| prompts().find_map(|prompt| intent(prompt.value)))?;
    if !matches!(&*intent, "edit" | "insert") {
        return None;
    }
    let mut items = (0..).zip(items(said)).filter(|(_, item)| item.kind == MessageKind::Text);
    let (index, item, diff) = items.find_map(|(index, item)| {
        let text = item.text?.text()?;
        let diff = lines::fenced_diff(&text.to_str())?.to_owned();
        Some((index, item, diff))
    })?;
    let counts = signed_lines(&diff);
    Some(Edit {
        item_index: Some(index),
        operation: Some(Operation::Edit),
        diff: Some(diff.into()),
        lines_added: Some(counts.0),
        lines_removed: Some(counts.1),
        status: Some(EditStatus::Unknown),
        basis: Some("diff_fence"),
        source: base.source.at(item.place.pointer(&base.source.pointer)),
        ..beside(base)
    })
}
