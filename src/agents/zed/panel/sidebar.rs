//! `zed_sidebar_threads`: the threads that the panel's sidebar lists, those of external agents included.

use super::listing::{Listing, PanelTable};
use super::record::{Record, json_list};
use super::{Panel, panels, remote};
use crate::error::Result;
use crate::table::{Rows, Scan, Source, Table, Weight};
use crate::text::Text;
use crate::time::Time;
use std::sync::Arc;

crate::record! {
    /// One entry of the sidebar of one release channel.
    pub struct SidebarThread {
        /// The release channel: `stable`, `preview`, `nightly`, `dev`. NULL where the folder does not say.
        channel: Option<Arc<str>>,
        /// The entry's own id, hyphenated; drafts are filed under it. NULL before April 2026.
        thread_id: Option<Arc<str>>,
        /// The thread: `session_id` in `zed_threads`, or the external agent's own id. NULL for a draft. Not unique: channels share threads.
        [key] session_id: Option<Arc<str>>,
        /// The external agent whose transcript it is: `claude-acp`, `gemini`, `codex-acp`, …. NULL for Zed's own.
        agent_id: Option<Arc<str>>,
        /// The title as stored, default titles included. NULL when it is empty.
        title: Option<Text>,
        /// The title that the user gave; it is shown in the other's place. NULL when there is none.
        title_override: Option<Text>,
        /// 1 where the user archived it. NULL in files from before March 2026.
        archived: Option<bool>,
        /// UTC, fixed width: as the entry records it.
        [range] created_at: Option<Time>,
        /// What created_at is: `record`.
        created_at_basis: Option<&'static str>,
        /// UTC, fixed width: as the entry records it.
        [range] updated_at: Option<Time>,
        /// What updated_at is: `record`.
        updated_at_basis: Option<&'static str>,
        /// UTC, fixed width: when the user last sent a message. NULL in files from before April 2026.
        [range] interacted_at: Option<Time>,
        /// What interacted_at is: `record`.
        interacted_at_basis: Option<&'static str>,
        /// The project's folders as a JSON array, in the user's order. NULL when there are none.
        folders: Option<Text>,
        /// The folder that the user listed first. On the remote machine where remote_kind is set.
        project_path: Option<Arc<str>>,
        /// The main repositories of the folders that are linked git worktrees, a JSON array in the user's order.
        main_worktrees: Option<Text>,
        /// The first of them: the repository whose worktree the thread runs in.
        main_repo_path: Option<Arc<str>>,
        /// `ssh`, `wsl` or `docker`. NULL for a project on this machine.
        remote_kind: Option<Arc<str>>,
        /// The remote host, WSL distribution or container.
        remote_host: Option<Arc<str>>,
        /// The row as stored, a JSON object, bytes as hex; without `remote_connection`, which can hold a password.
        raw: Option<Text>,
    }
}

pub static TABLE: Table<SidebarThread> = Table {
    name: "zed_sidebar_threads",
    doc: "One row per entry of the agent panel's sidebar, of every release channel: Zed's own threads, drafts, and threads of external agents, whose transcripts are elsewhere.",
    weight: Weight::Metadata,
    orders: &[],
    scan,
};

/// The table, every column of every version.
pub static SIDEBAR: PanelTable = PanelTable {
    name: "sidebar_threads",
    columns: &[
        "thread_id",
        "session_id",
        "agent_id",
        "title",
        "title_override",
        "archived",
        "created_at",
        "updated_at",
        "interacted_at",
        "folder_paths",
        "folder_paths_order",
        "main_worktree_paths",
        "main_worktree_paths_order",
        "remote_connection",
    ],
    only: None,
    part: 1,
};

fn scan(scan: &Scan) -> Result<Rows<SidebarThread>> {
    let keys = scan.keys("session_id");
    let wants_raw = scan.wants("raw");
    Ok(Box::new(panels(scan)?.flat_map(move |panel| rows(&panel, keys.as_deref(), wants_raw))))
}

/// The entries of one release channel, of some sessions or of all.
pub fn rows(panel: &Panel, keys: Option<&[String]>, wants_raw: bool) -> Vec<SidebarThread> {
    let failed = |source| SidebarThread { channel: panel.channel.clone(), source, ..SidebarThread::default() };
    let Some(keys) = keys else {
        return panel.rows(&SIDEBAR, |record, source| Some(row(panel, record, source, wants_raw)), failed);
    };
    let listing = panel.list(&SIDEBAR).unwrap_or_else(|error| Arc::new(Listing::failed(error)));
    let row = |record: &Record| row(panel, record, panel.source(&SIDEBAR, Some(record.rowid)), wants_raw);
    let mut rows: Vec<SidebarThread> = listing.of_sessions(keys).into_iter().map(row).collect();
    // Whoever asks must hear that an entry may be missing.
    rows.extend(listing.error.iter().map(|error| failed(panel.source(&SIDEBAR, None).failed(error.clone()))));
    rows
}

fn row(panel: &Panel, record: &Record, source: Source, wants_raw: bool) -> SidebarThread {
    let folders = record.folders("folder_paths", "folder_paths_order");
    let mains = record.folders("main_worktree_paths", "main_worktree_paths_order");
    let (remote, source) = remote::of(record, source);
    let (created_at, created_at_basis) = record.dated("created_at");
    let (updated_at, updated_at_basis) = record.dated("updated_at");
    let (interacted_at, interacted_at_basis) = record.dated("interacted_at");
    SidebarThread {
        channel: panel.channel.clone(),
        thread_id: record.id("thread_id"),
        session_id: record.id("session_id"),
        agent_id: record.text("agent_id"),
        title: record.text("title").map(Text::Shared),
        title_override: record.text("title_override").map(Text::Shared),
        archived: record.flag("archived"),
        created_at,
        created_at_basis,
        updated_at,
        updated_at_basis,
        interacted_at,
        interacted_at_basis,
        folders: json_list(&folders),
        project_path: folders.first().cloned(),
        main_worktrees: json_list(&mains),
        main_repo_path: mains.first().cloned(),
        remote_kind: remote.kind,
        remote_host: remote.host,
        raw: wants_raw.then(|| record.raw()),
        source,
    }
}
