//! The lines of threads: what belongs to a thread's start, its messages, what was left unsent, what did not decode.

use super::bad::{BadLast, unparseable};
use super::{file_name, line, unreadable_store};
use crate::agents::zed::calls::{Decision, refusal};
use crate::agents::zed::context::Context;
use crate::agents::zed::messages::Messages;
use crate::agents::zed::panel::prompt;
use crate::agents::zed::stores::StoreKind;
use crate::agents::zed::thread::fields::Fields;
use crate::agents::zed::walk::{self, MessageRows};
use crate::agents::zed::{NAME, grants};
use crate::error::Result;
use crate::json::Document;
use crate::model::{Message, MessageKind, TimelineEntry, TurnType};
use crate::store::find::Found;
use crate::table::{Constraint, Op, Pointer, Rows, Scan, Source, Step};
use crate::text::Text;
use crate::time::Time;
use std::collections::VecDeque;
use std::sync::Arc;

/// What lines are made of, whichever of their columns is asked for: a line is there because of its text.
const COLUMNS: [&str; 10] = [
    "session_id", "timestamp_utc", "project_path", "git_branch", "model", "tool_name", "tool_use_id", "text", "uri", "raw",
];

/// Every line of every thread that the scan asks for.
pub fn lines(scan: &Scan) -> Result<Rows<TimelineEntry>> {
    // A thread's first lines are older than its last save, so an upper bound on their time says nothing of it.
    let is_bound = |on: &&Constraint| on.column != "timestamp_utc" || matches!(on.op, Op::Gt | Op::Ge);
    let constraints = scan.constraints.iter().filter(is_bound).cloned().collect();
    let columns = Some(COLUMNS.map(str::to_owned).into());
    let scan = Scan { columns, constraints, order: None, ..scan.clone() };
    let kinds = &[StoreKind::ThreadsDb, StoreKind::TextThread];
    let lines = walk::rows(&scan, "timestamp_utc", kinds, Lines { messages: Messages::of(&scan) })?;
    Ok(Box::new(BadLast::new(lines)))
}

struct Lines {
    messages: Messages,
}

/// As of the thread's last save: when a grant or a draft was made is not recorded.
const AS_OF: &str = "(thread blob, as of updated_at)";

/// A line at the thread's time.
fn of_thread(thread: &Context, source: Source, text: String) -> TimelineEntry {
    TimelineEntry {
        timestamp_utc: thread.time,
        timestamp_basis: thread.time_basis(),
        session_id: thread.session_id.clone(),
        project_path: thread.project.clone(),
        git_branch: thread.branch.clone(),
        model: thread.model.clone(),
        ..line(source, text)
    }
}

impl MessageRows for Lines {
    type Row = TimelineEntry;
    const FIELDS: &'static [&'static str] = &["version", "draft_prompt"];
    const ALL_FIELDS: &'static [&'static str] = &[
        "version",
        "model",
        "initial_project_snapshot",
        "subagent_context",
        "profile",
        "sandbox_grants",
        "sandboxed_terminal_temp_dir",
        "draft_prompt",
    ];

    fn begin(&mut self, thread: &Context, fields: &Fields, out: &mut VecDeque<TimelineEntry>) {
        out.extend(start(thread, fields));
        for grant in grants::rows(thread, fields) {
            if grant.source.error.is_some() {
                out.push_back(unparseable(grant.session_id, grant.project_path, grant.source, grant.value));
                continue;
            }
            let value = grant.value.as_ref().map(Text::to_str).unwrap_or_default();
            let text = format!("permission setting: {}={value} {AS_OF}", grant.key.as_deref().unwrap_or_default());
            out.push_back(of_thread(thread, grant.source, text));
        }
        out.extend(scratch_directory(thread, fields));
    }

    fn message(
        &mut self,
        thread: &Context,
        index: usize,
        message: &Document,
        before: Option<&Document>,
        out: &mut VecDeque<TimelineEntry>,
    ) {
        let mut rows = VecDeque::new();
        self.messages.message(thread, index, message, before, &mut rows);
        for row in rows {
            let decision = decision(&row);
            out.push_back(told(row));
            out.extend(decision);
        }
    }

    fn end(&mut self, thread: &Context, fields: &Fields, out: &mut VecDeque<TimelineEntry>) {
        out.extend(draft(thread, fields));
    }

    fn failed(&mut self, thread: &Context, source: Source, raw: Option<Text>) -> TimelineEntry {
        match source.error.clone() {
            Some(error) if source.key().is_none() => unreadable_store(source, error),
            _ => unparseable(thread.session_id.clone(), thread.project.clone(), source, raw),
        }
    }

    fn text_thread(&mut self, found: &Found<StoreKind>, time: Option<Time>, out: &mut VecDeque<TimelineEntry>) {
        let mut rows = VecDeque::new();
        self.messages.text_thread(found, time, &mut rows);
        out.extend(rows.into_iter().map(|row| {
            let error = row.source.error.as_ref().filter(|_| row.message_index.is_none());
            let entry = match error.map(|error| format!("parser: {}: {}", file_name(&row.source), error.what())) {
                Some(text) => line(row.source, text),
                None => told(row),
            };
            // The file is one value.
            TimelineEntry { source_line: Some(1), ..entry }
        }));
    }
}

/// The remote of the project and the model, at the time of the snapshot that was taken when the thread began.
fn start(thread: &Context, fields: &Fields) -> Vec<TimelineEntry> {
    const SNAPSHOT: &str = "initial_project_snapshot";
    let taken = fields.get(SNAPSHOT).and_then(|snapshot| snapshot.get("timestamp")?.as_str().map(|time| time.into_owned()));
    let taken = taken.and_then(|time| Time::parse_rfc3339(&time));
    let at_start = |entry: TimelineEntry| match taken {
        Some(_) => TimelineEntry { timestamp_utc: taken, timestamp_basis: Some("snapshot"), ..entry },
        None => entry,
    };
    let remote = fields.project_worktree(thread.project.as_deref()).and_then(|tree| tree.git("remote_url")?.as_str());
    let remote = remote.map(|url| {
        let source = thread.source.at(Pointer::from([Step::Name(SNAPSHOT)]));
        at_start(of_thread(thread, source, format!("git remote: {url}")))
    });
    let model = fields.model().and_then(|model| {
        let text = format!("model: {} provider={}", model.model?, model.provider.as_deref().unwrap_or("-"));
        Some(at_start(of_thread(thread, thread.source.at(Pointer::from([Step::Name("model")])), text)))
    });
    remote.into_iter().chain(model).collect()
}

/// A directory of nobody's session, so that the thread stays counted under its project.
fn scratch_directory(thread: &Context, fields: &Fields) -> Option<TimelineEntry> {
    const NAME: &str = "sandboxed_terminal_temp_dir";
    let path = fields.text(NAME)?;
    let id = thread.session_id.as_deref().unwrap_or_default();
    let text = format!("scratch directory: {path} (sandboxed terminal temp directory of thread {id}) {AS_OF}");
    let source = thread.source.at(Pointer::from([Step::Name(NAME)]));
    let project_path = Some(Arc::from(path.to_str()));
    let entry = of_thread(thread, source, text);
    Some(TimelineEntry { session_id: None, project_path, git_branch: None, model: None, ..entry })
}

fn draft(thread: &Context, fields: &Fields) -> Option<TimelineEntry> {
    const NAME: &str = "draft_prompt";
    let blocks = fields.get(NAME).filter(|blocks| !prompt::is_nothing(*blocks))?;
    let source = thread.source.at(Pointer::from([Step::Name(NAME)]));
    Some(match prompt::text(blocks) {
        Ok(text) => of_thread(thread, source, format!("unsent draft: {text} {AS_OF}")),
        Err(error) => {
            let (id, project) = (thread.session_id.clone(), thread.project.clone());
            unparseable(id, project, source.failed(error), Some(blocks.compact()))
        }
    })
}

/// The line of a message's item.
fn told(row: Message) -> TimelineEntry {
    let is_whole = row.kind.is_some_and(|kind| kind != MessageKind::Unknown);
    if row.source.error.is_some() && !is_whole {
        return damaged(row);
    }
    let text = if row.kind == Some(MessageKind::Mention) { row.uri.or(row.text) } else { row.text };
    TimelineEntry {
        timestamp_utc: row.timestamp_utc,
        timestamp_basis: row.timestamp_basis,
        agent: NAME,
        session_id: row.session_id,
        project_path: row.project_path,
        git_branch: row.git_branch,
        turn_type: row.turn_type,
        kind: row.kind,
        model: row.model,
        tool_name: row.tool_name,
        tool_use_id: row.tool_use_id,
        text,
        source_line: row.source.key().and_then(|rowid| rowid.parse().ok()),
        source: row.source,
    }
}

/// An item of no known kind: part of the prompt where the user wrote it, else a bad record.
fn damaged(row: Message) -> TimelineEntry {
    let is_object = row.raw.as_ref().is_some_and(|raw| raw.to_str().starts_with('{'));
    if is_object && row.source.pointer.to_string().contains("/User/content/") {
        let text = row.raw.clone();
        let row = Message { turn_type: Some(TurnType::User), text, kind: Some(MessageKind::Text), ..row };
        return TimelineEntry { kind: Some(MessageKind::Unknown), ..told(row) };
    }
    unparseable(row.session_id, row.project_path, row.source, row.raw)
}

/// What the result of a refused call tells: the call stands in the line before.
fn decision(row: &Message) -> Option<TimelineEntry> {
    if row.kind != Some(MessageKind::ToolResult) || row.is_error != Some(true) {
        return None;
    }
    let refusal = refusal(row.text.as_ref()?)?;
    let text = match (refusal.decision, refusal.reason) {
        (Decision::Denied, _) => "permission decision: denied".to_owned(),
        (Decision::AutoDenied, Some(reason)) => format!("permission decision: auto_denied reason={reason}"),
        // Nobody decided: the turn was stopped.
        _ => return None,
    };
    Some(TimelineEntry {
        turn_type: Some(TurnType::System),
        kind: None,
        text: Some(text.into()),
        source: row.source.clone().part(1),
        ..told(row.clone())
    })
}
