//! `zed_edits`: which files the agent changed.

use super::call_rows::{self, CallRows, Found};
use super::calls::{At, Change, changes, tool};
use super::context::Context;
use super::thread::item::Place;
use crate::error::Result;
use crate::model::Edit;
use crate::store::paths;
use crate::table::{Rows, Scan, Source, Step, Table, Weight};
use crate::text::Text;
use std::collections::VecDeque;

pub static TABLE: Table<Edit> = Table {
    name: "zed_edits",
    doc: "One row per file change that a thread of Zed's own agent records: both whole texts where the tool kept them, else the parts that the call names, a diff, or only the path. What a terminal command changes, and what the user takes back later, is not recorded.",
    weight: Weight::Documents,
    orders: &["timestamp_utc"],
    scan: rows,
};

/// Every change that the scan asks for.
pub fn rows(scan: &Scan) -> Result<Rows<Edit>> {
    let with_lines = scan.wants_any(&["lines_added", "lines_removed"]);
    call_rows::rows(scan, Edits { with_lines, with_absolute: scan.wants("absolute_path") })
}

/// Which cells are built; the others cost nothing.
struct Edits {
    with_lines: bool,
    with_absolute: bool,
}

impl Edits {
    fn row(&self, shared: &Edit, thread: &Context, change: Change, place: Place<'_>) -> Edit {
        let lines = if self.with_lines { change.lines() } else { None };
        let absolute = change.path.as_ref().filter(|_| self.with_absolute).and_then(|path| resolved(path, thread));
        Edit {
            absolute_path: absolute,
            lines_added: lines.map(|(added, _)| added),
            lines_removed: lines.map(|(_, removed)| removed),
            source: source(&shared.source, &change.at, place),
            path: change.path,
            operation: Some(change.operation),
            destination_path: change.destination,
            old_text: change.old_text,
            new_text: change.new_text,
            diff: change.diff,
            status: Some(change.status),
            basis: Some(change.basis),
            ..shared.clone()
        }
    }
}

fn resolved(path: &Text, thread: &Context) -> Option<Text> {
    let folders: Vec<&str> = thread.folders.iter().map(|folder| &**folder).collect();
    paths::resolve(&path.to_str(), &folders).map(Text::from)
}

/// From the call's place to that of one of its changes.
fn source(call: &Source, at: &At, place: Place<'_>) -> Source {
    match at {
        At::Call => call.clone(),
        At::Part(index) => call.clone().part(u32::try_from(*index).unwrap_or(u32::MAX)),
        At::Inside(steps) => {
            // Since 0.3.0 the item is an object around the call.
            let variant = matches!(place, Place::VariantElement(..)).then_some(Step::Name("ToolUse"));
            let steps = variant.into_iter().chain(steps.iter().cloned());
            call.at(steps.fold(call.pointer.clone(), |pointer, step| pointer.join(step)))
        }
    }
}

fn empty(thread: &Context, source: Source) -> Edit {
    Edit {
        agent: super::NAME,
        session_id: thread.session_id.clone(),
        timestamp_utc: thread.time,
        timestamp_basis: thread.time_basis(),
        project_path: thread.project.clone(),
        model: thread.model.clone(),
        source,
        ..Edit::default()
    }
}

impl CallRows for Edits {
    type Row = Edit;

    fn found(&mut self, thread: &Context, found: &Found<'_, '_>, out: &mut VecDeque<Edit>) {
        let (call, result) = (found.pair.call, found.pair.result);
        let changes = changes(call, result);
        if changes.is_empty() && found.pair.error.is_none() {
            return;
        }
        let (message_index, item_index) = found.position();
        let shared = Edit {
            message_index,
            item_index,
            tool_use_id: call.and_then(|call| call.id?.text()).or_else(|| result?.id_text()),
            tool_name: tool::stored_name(call, result).and_then(|name| name.text()),
            ..empty(thread, found.source(thread))
        };
        let place = found.pair.item.place;
        let of_change = |change| self.row(&shared, thread, change, place);
        out.extend(changes.into_iter().map(of_change));
        if found.pair.error.is_some() {
            // It may have changed a file.
            out.push_back(shared);
        }
    }

    fn failed(&mut self, thread: &Context, source: Source) -> Edit {
        empty(thread, source)
    }
}
