//! `zed_terminals`: terminal tabs in the sidebar.

use super::listing::PanelTable;
use super::record::{Record, json_list};
use super::{Panel, panels, remote};
use crate::error::Result;
use crate::table::{Rows, Scan, Source, Table, Weight};
use crate::text::Text;
use crate::time::Time;
use std::sync::Arc;

crate::record! {
    /// One terminal tab of the agent panel's sidebar.
    pub struct Terminal {
        /// The release channel: `stable`, `preview`, `nightly`, `dev`. NULL where the folder does not say.
        channel: Option<Arc<str>>,
        /// The terminal's own id.
        terminal_id: Option<Arc<str>>,
        /// The title, usually the shell's name. NULL when it is empty.
        title: Option<Text>,
        /// The title that the user gave; it is shown in the other's place. NULL when there is none.
        custom_title: Option<Text>,
        /// UTC, fixed width: when the tab was opened.
        [range] created_at: Option<Time>,
        /// What created_at is: `record`.
        created_at_basis: Option<&'static str>,
        /// The folder that the shell started in.
        working_directory: Option<Arc<str>>,
        /// The project's folders as a JSON array, in the user's order. NULL when there are none.
        folders: Option<Text>,
        /// The folder that the user listed first. On the remote machine where remote_kind is set.
        project_path: Option<Arc<str>>,
        /// The main repositories of the folders that are linked git worktrees, a JSON array in the user's order.
        main_worktrees: Option<Text>,
        /// `ssh`, `wsl` or `docker`. NULL for a project on this machine.
        remote_kind: Option<Arc<str>>,
        /// The remote host, WSL distribution or container.
        remote_host: Option<Arc<str>>,
        /// The row as stored, a JSON object; without `remote_connection`, which can hold a password.
        raw: Option<Text>,
    }
}

pub static TABLE: Table<Terminal> = Table {
    name: "zed_terminals",
    doc: "One row per terminal tab of the agent panel's sidebar, of every release channel. Its output is stored nowhere.",
    weight: Weight::Metadata,
    orders: &[],
    scan,
};

/// The table of May 2026.
pub static TERMINALS: PanelTable = PanelTable {
    name: "sidebar_terminal_threads",
    columns: &[
        "terminal_id",
        "title",
        "custom_title",
        "created_at",
        "working_directory",
        "folder_paths",
        "folder_paths_order",
        "main_worktree_paths",
        "main_worktree_paths_order",
        "remote_connection",
    ],
    only: None,
    part: 2,
};

fn scan(scan: &Scan) -> Result<Rows<Terminal>> {
    let wants_raw = scan.wants("raw");
    Ok(Box::new(panels(scan)?.flat_map(move |panel| rows(&panel, wants_raw))))
}

/// The terminals of one release channel.
pub fn rows(panel: &Panel, wants_raw: bool) -> Vec<Terminal> {
    let failed = |source| Terminal { channel: panel.channel.clone(), source, ..Terminal::default() };
    panel.rows(&TERMINALS, |record, source| Some(row(panel, record, source, wants_raw)), failed)
}

fn row(panel: &Panel, record: &Record, source: Source, wants_raw: bool) -> Terminal {
    let folders = record.folders("folder_paths", "folder_paths_order");
    let (remote, source) = remote::of(record, source);
    let (created_at, created_at_basis) = record.dated("created_at");
    Terminal {
        channel: panel.channel.clone(),
        terminal_id: record.id("terminal_id"),
        title: record.text("title").map(Text::Shared),
        custom_title: record.text("custom_title").map(Text::Shared),
        created_at,
        created_at_basis,
        working_directory: record.text("working_directory"),
        folders: json_list(&folders),
        project_path: folders.first().cloned(),
        main_worktrees: json_list(&record.folders("main_worktree_paths", "main_worktree_paths_order")),
        remote_kind: remote.kind,
        remote_host: remote.host,
        raw: wants_raw.then(|| record.raw()),
        source,
    }
}
