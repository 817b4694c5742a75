//! Drafts that the agent panel keeps.

use super::listing::PanelTable;
use super::record::Record;
use super::sidebar::SIDEBAR;
use super::{Panel, prompt};
use crate::agents::zed::drafts::Draft;
use crate::error::Error;
use crate::json::Document;
use crate::table::{Pointer, Source};
use crate::text::Text;

const KV_COLUMNS: &[&str] = &["key", "value"];

/// Drafts under the id of their sidebar entry, since May 2026.
static DRAFTS: PanelTable = PanelTable {
    name: "scoped_kv_store",
    columns: KV_COLUMNS,
    only: Some(("namespace", "agent_draft_prompts")),
    part: 3,
};

/// The panel's state of a window, which held its draft in the spring of 2026.
static PANEL_STATE: PanelTable =
    PanelTable { name: "scoped_kv_store", columns: KV_COLUMNS, only: Some(("namespace", "agent_panel")), part: 4 };

/// The same before every window had its own.
static OLD_PANEL_STATE: PanelTable =
    PanelTable { name: "kv_store", columns: KV_COLUMNS, only: Some(("key", "agent_panel")), part: 9 };

/// The drafts of one release channel.
pub fn rows(panel: &Panel) -> Vec<Draft> {
    // What is wrong with the sidebar is told there; a draft reads without its entry.
    let sidebar = panel.list(&SIDEBAR).unwrap_or_default();
    let entry = |id: &str| sidebar.records.iter().find(|entry| entry.id("thread_id").as_deref() == Some(id));
    let failed = |source| Draft { channel: panel.channel.clone(), source, ..Draft::default() };
    let mut drafts = panel.rows(&DRAFTS, |record, source| Some(draft(panel, record, &entry, source)), failed);
    let is_told = drafts.iter().any(|draft| draft.source.key().is_none());
    for (table, is_told) in [(&PANEL_STATE, true), (&OLD_PANEL_STATE, is_told)] {
        let states = panel.rows(table, |record, source| state(panel, record, source), failed);
        // The same table's failure, or the file's, is told once.
        drafts.extend(states.into_iter().filter(|draft| draft.source.key().is_some() || !is_told));
    }
    drafts
}

fn draft<'l>(
    panel: &Panel,
    record: &Record,
    entry: &impl Fn(&str) -> Option<&'l Record>,
    source: Source,
) -> Draft {
    let thread_id = record.text("key");
    let entry = thread_id.as_deref().and_then(entry);
    let value = record.text("value").unwrap_or_default();
    let prompt = Document::parse(value.as_bytes().to_vec()).and_then(|blocks| prompt::text(blocks.root()));
    let name = |error: Error| Error::new(error.kind(), format!("agent_draft_prompts: {}", error.what()));
    let (timestamp_utc, timestamp_basis) = match entry.and_then(|entry| entry.time("updated_at")) {
        Some(time) => (Some(time), "record"),
        None => (panel.modified(), "file_mtime"),
    };
    Draft {
        channel: panel.channel.clone(),
        session_id: entry.and_then(|entry| entry.id("session_id")),
        project_path: entry.and_then(|entry| entry.folders("folder_paths", "folder_paths_order").first().cloned()),
        thread_id,
        text: prompt.as_ref().ok().cloned(),
        timestamp_utc,
        timestamp_basis: Some(timestamp_basis),
        raw: Some(Text::Shared(value)),
        source: match prompt {
            Ok(_) => source,
            Err(error) => source.failed(name(error)),
        },
    }
}

/// The draft in a window's state; most have none.
fn state(panel: &Panel, record: &Record, source: Source) -> Option<Draft> {
    let state = Document::parse(record.text("value")?.as_bytes().to_vec()).ok()?;
    let blocks = state.root().get("draft_thread_prompt").filter(|blocks| !prompt::is_nothing(*blocks))?;
    let source = source.at(Pointer::record().join("draft_thread_prompt"));
    let (text, source) = match prompt::text(blocks) {
        Ok(text) => (Some(text), source),
        Err(error) => (None, source.failed(error)),
    };
    Some(Draft {
        channel: panel.channel.clone(),
        text,
        timestamp_utc: panel.modified(),
        timestamp_basis: Some("file_mtime"),
        raw: Some(blocks.verbatim()),
        source,
        ..Draft::default()
    })
}
