//! What a thread's document adds to its row.

use super::record::ThreadRow;
use crate::agents::zed::thread::document::{Damage, ThreadReader};
use crate::agents::zed::thread::fields::Fields;
use crate::agents::zed::thread::item::Content;
use crate::agents::zed::thread::message;
use crate::error::{Error, Kind, Result};
use crate::json::{Document, Source, Value};
use crate::text::Text;
use crate::time::Time;
use std::sync::Arc;

/// The members that fill cells.
pub const FIELDS: &[&str] = &[
    "version",
    "initial_project_snapshot",
    "model",
    "profile",
    "completion_mode",
    "thinking_enabled",
    "thinking_effort",
    "speed",
    "imported",
    "detailed_summary",
    "detailed_summary_state",
    "draft_prompt",
    "sandboxed_terminal_temp_dir",
    "subagent_context",
];

/// Fills the cells that stand around the messages.
pub fn fill(row: &mut ThreadRow, fields: &Fields) {
    row.document_version = fields.get("version").map(text_or_json);
    row.profile = fields.text("profile");
    row.completion_mode = fields.text("completion_mode");
    row.thinking_enabled = flag(fields, "thinking_enabled");
    row.thinking_effort = fields.text("thinking_effort");
    row.speed = fields.text("speed");
    row.is_imported = Some(flag(fields, "imported").unwrap_or(false));
    row.detailed_summary = fields.text("detailed_summary").or_else(|| generated_summary(fields));
    row.draft_prompt = fields.get("draft_prompt").map(|prompt| prompt.compact());
    row.sandboxed_terminal_temp_dir = fields.text("sandboxed_terminal_temp_dir");
    if let Some(model) = fields.get("model") {
        row.provider = model.get("provider").and_then(|provider| provider.text());
        row.model = model.get("model").and_then(|model| model.text());
    }
    if row.project_path.is_none() {
        row.project_path = fields.worktrees().next().and_then(|tree| tree.path()).map(Arc::from);
    }
    if let Some(tree) = fields.project_worktree(row.project_path.as_deref()) {
        let git = |name| tree.git(name).and_then(|value| value.text());
        row.git_branch = git("current_branch");
        row.git_head = git("head_sha");
        row.git_remote = git("remote_url");
        row.git_diff = git("diff");
    }
    if let Some(snapshot) = fields.get("initial_project_snapshot") {
        row.worktrees = snapshot.get("worktree_snapshots").map(|trees| trees.compact());
        row.snapshot_at = snapshot.get("timestamp").and_then(|time| Time::parse_rfc3339(&time.as_str()?));
    }
}

fn flag(fields: &Fields, name: &str) -> Option<bool> {
    fields.get(name)?.as_bool()
}

fn text_or_json(value: Value<'_>) -> Text {
    value.text().unwrap_or_else(|| value.compact())
}

/// `{"Generated":{"text":"…","message_id":n}}`, before 0.3.0.
fn generated_summary(fields: &Fields) -> Option<Text> {
    fields.get("detailed_summary_state")?.get("Generated")?.get("text")?.text()
}

/// Reads to the end and counts; the first damage.
pub fn count<S: Source>(reader: &mut ThreadReader<S>, row: &mut ThreadRow) -> Option<Error> {
    let (mut prompts, mut calls) = (0, 0);
    let mut first = None;
    let mut before: Option<Document> = None;
    while let Some(step) = reader.next_message() {
        match step {
            Ok((_, document)) => {
                let message = message::read(document.root(), before.as_ref().map(Document::root));
                let is_call = |content: &Content<'_>| matches!(content, Content::Call(_));
                prompts += i64::from(message.is_prompt());
                calls += message.items.iter().filter(|item| is_call(&item.content)).count() as i64;
                let has_calls = document.root().get("tool_uses").is_some();
                drop(message);
                before = has_calls.then_some(document);
            }
            Err(damage) => first = first.or(Some(told(damage))),
        }
    }
    if let Some(elements) = reader.elements() {
        row.message_count = i64::try_from(elements).ok();
        (row.prompt_count, row.tool_call_count) = (Some(prompts), Some(calls));
    }
    first
}

/// Reads to the end; the first damage.
pub fn drain<S: Source>(reader: &mut ThreadReader<S>) -> Option<Error> {
    let mut first = None;
    while let Some(step) = reader.next_message() {
        first = first.or(step.err().map(told));
    }
    first
}

fn told(damage: Damage) -> Error {
    if damage.pointer.is_empty() { damage.error } else { damage.error.at(damage.pointer.to_string()) }
}

/// The document's text; it must be one.
pub fn text(bytes: &Arc<Vec<u8>>) -> Result<Text> {
    std::str::from_utf8(bytes)
        .map(Text::from)
        .map_err(|error| Error::new(Kind::Utf8, format!("invalid UTF-8 at byte {}", error.valid_up_to())))
}
