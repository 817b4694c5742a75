//! The lines of a release channel's `db.sqlite`: its sidebar, drafts, worktrees, terminals, trusted projects, and what
//! of them could not be read.

use super::{file_name, line, or_dash, unreadable_store};
use crate::agents::zed::panel::{Panel, drafts, sidebar, terminals, trust, worktrees};
use crate::agents::zed::drafts::Draft;
use crate::agents::zed::panel::{sidebar::SidebarThread, worktrees::Worktree, worktrees::WorktreeKind};
use crate::error::Error;
use crate::model::{Permission, TimelineEntry};
use crate::table::Source;
use crate::text::Text;

/// Every line of the file. Records that did not decode come last.
pub fn lines(panel: &Panel) -> Vec<TimelineEntry> {
    let mut lines = Lines::default();
    if let Err(error) = panel.list(&sidebar::SIDEBAR) {
        lines.bad.push(unreadable_store(panel.source(&sidebar::SIDEBAR, None), error));
        return lines.bad;
    }
    for entry in sidebar::rows(panel, None, false) {
        lines.sidebar(entry);
    }
    for draft in drafts::rows(panel) {
        lines.draft(draft);
    }
    for worktree in worktrees::rows(panel) {
        lines.worktree(worktree);
    }
    for terminal in terminals::rows(panel, false) {
        lines.terminal(terminal);
    }
    for trusted in trust::rows_of(panel) {
        lines.trust(trusted);
    }
    lines.good.append(&mut lines.bad);
    lines.good
}

#[derive(Default)]
struct Lines {
    good: Vec<TimelineEntry>,
    bad: Vec<TimelineEntry>,
}

impl Lines {
    /// What is wrong with a table as a whole.
    fn table(&mut self, source: &Source) -> bool {
        let error = source.error.clone().filter(|_| source.key().is_none());
        let is_table = error.is_some();
        self.bad.extend(error.map(|error| unreadable_store(source.clone(), error)));
        is_table
    }

    /// A value of the key-value store that did not decode.
    fn value(&mut self, source: Source, namespace: &str, key: &str, stored: &Text, error: &Error) {
        let rowid = source.key().unwrap_or_default().to_owned();
        let reason = error.what().strip_prefix(namespace).and_then(|what| what.strip_prefix(": "));
        let (kind, reason) = (error.kind().token(), reason.unwrap_or(error.what()));
        let key = key.replace('\n', " ");
        let text = format!("parser: unparseable record {rowid} ({namespace} {key}: {kind}: {reason}): {stored}");
        self.bad.push(line(source, text));
    }

    /// Zed's own threads and those of external agents. A draft shows by its prompt.
    fn sidebar(&mut self, entry: SidebarThread) {
        if self.table(&entry.source) || entry.session_id.is_none() {
            return;
        }
        let mut text = format!(
            "sidebar thread: title={} archived={} interacted_at={} main_worktree={}",
            entry.title.as_ref().map(Text::to_str).unwrap_or_default(),
            entry.archived.unwrap_or(false),
            or_dash(entry.interacted_at.map(|time| time.to_string()).as_deref()),
            or_dash(entry.main_repo_path.as_deref()),
        );
        if let Some(agent) = &entry.agent_id {
            text.push_str(&format!(" agent={agent}"));
        }
        self.good.push(TimelineEntry {
            timestamp_utc: entry.updated_at,
            timestamp_basis: entry.updated_at_basis,
            session_id: entry.session_id,
            project_path: entry.project_path,
            ..line(entry.source, text)
        });
    }

    fn draft(&mut self, draft: Draft) {
        if self.table(&draft.source) {
            return;
        }
        if let (Some(error), Some(stored)) = (&draft.source.error, &draft.raw) {
            let key = draft.thread_id.as_deref().unwrap_or_default();
            return self.value(draft.source.clone(), "agent_draft_prompts", key, stored, error);
        }
        let mut text = format!("unsent draft: {}", draft.text.as_ref().map(Text::to_str).unwrap_or_default());
        if draft.timestamp_basis == Some("file_mtime") {
            // What is filed under no entry stood in a window's state.
            let namespace = if draft.thread_id.is_some() { "agent_draft_prompts" } else { "agent_panel" };
            text.push_str(&format!(" (from {} {namespace}, file mtime)", file_name(&draft.source)));
        }
        self.good.push(TimelineEntry {
            timestamp_utc: draft.timestamp_utc,
            timestamp_basis: draft.timestamp_basis,
            session_id: draft.session_id,
            project_path: draft.project_path,
            ..line(draft.source, text)
        });
    }

    fn worktree(&mut self, tree: Worktree) {
        if self.table(&tree.source) {
            return;
        }
        match tree.kind {
            Some(WorktreeKind::Archived) => self.archived(tree),
            _ => self.created(tree),
        }
    }

    /// The scratch directory that a worktree of Zed's is: nobody's session, a project of its own.
    fn created(&mut self, tree: Worktree) {
        let path = or_dash(tree.worktree_path.as_deref());
        if let (Some(error), Some(stored)) = (&tree.source.error, &tree.raw) {
            let key = format!("{} {path}", tree.host.as_deref().unwrap_or("local"));
            return self.value(tree.source.clone(), "created_git_worktrees", &key, stored, error);
        }
        let main = tree.main_repo_path.as_ref().map(|main| format!(" of {main}")).unwrap_or_default();
        let host = tree.host.as_ref().map(|host| format!(" host={host}")).unwrap_or_default();
        let from = file_name(&tree.source);
        let text = format!(
            "scratch directory: {path} (Zed-created git worktree{main}{host}) (from {from} created_git_worktrees, created_at)"
        );
        self.good.push(TimelineEntry {
            timestamp_utc: tree.timestamp_utc,
            timestamp_basis: tree.timestamp_basis,
            project_path: tree.worktree_path,
            ..line(tree.source, text)
        });
    }

    fn archived(&mut self, tree: Worktree) {
        let text = format!(
            "archived worktree: {} of {} branch={} staged={} unstaged={} original={} ref={} (from {} archived_git_worktrees, file mtime)",
            or_dash(tree.worktree_path.as_deref()),
            or_dash(tree.main_repo_path.as_deref()),
            or_dash(tree.branch.as_deref()),
            or_dash(tree.staged_commit.as_deref()),
            or_dash(tree.unstaged_commit.as_deref()),
            or_dash(tree.original_commit.as_deref()),
            or_dash(tree.git_ref.as_deref()),
            file_name(&tree.source),
        );
        self.good.push(TimelineEntry {
            timestamp_utc: tree.timestamp_utc,
            timestamp_basis: tree.timestamp_basis,
            session_id: tree.session_id,
            project_path: tree.main_repo_path,
            git_branch: tree.branch,
            ..line(tree.source, text)
        });
    }

    fn terminal(&mut self, terminal: terminals::Terminal) {
        if self.table(&terminal.source) {
            return;
        }
        let title = terminal.custom_title.or(terminal.title);
        let title = title.as_ref().map(Text::to_str).unwrap_or_default();
        let text = format!("sidebar terminal: {title} cwd={}", or_dash(terminal.working_directory.as_deref()));
        self.good.push(TimelineEntry {
            timestamp_utc: terminal.created_at,
            timestamp_basis: terminal.created_at_basis,
            project_path: terminal.project_path,
            ..line(terminal.source, text)
        });
    }

    fn trust(&mut self, trusted: Permission) {
        if self.table(&trusted.source) {
            return;
        }
        let host = trusted.host.as_ref().map(|host| format!(" host={host}")).unwrap_or_default();
        let from = file_name(&trusted.source);
        let key = trusted.key.as_deref().unwrap_or_default();
        let text = format!("permission setting: {key}=true{host} (from {from} trusted_worktrees, file mtime)");
        self.good.push(TimelineEntry {
            timestamp_utc: trusted.timestamp_utc,
            timestamp_basis: trusted.timestamp_basis,
            project_path: trusted.project_path,
            ..line(trusted.source, text)
        });
    }
}
