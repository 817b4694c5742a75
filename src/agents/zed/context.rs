//! What all rows of one thread share.

use super::thread::fields::{Fields, folders};
use super::threads_db::{Thread, Wanted};
use crate::table::{Scan, Source};
use crate::time::Time;
use std::sync::Arc;

/// What `timestamp_utc` is on every row of a thread: messages carry no time.
pub const TIME_BASIS: &str = "thread_updated_at";

/// Which of the shared columns a scan asks for.
#[derive(Debug, Clone, Copy, Default)]
pub struct ContextWanted {
    /// `parent_session_id`
    pub parent: bool,
    /// `project_path`, or what needs the folders
    pub folders: bool,
    /// `git_branch`
    pub branch: bool,
    /// `model`
    pub model: bool,
}

impl ContextWanted {
    /// By the names that the tables of messages and calls share.
    pub fn of(scan: &Scan) -> Self {
        Self {
            parent: scan.wants("parent_session_id"),
            folders: scan.wants_any(&["project_path", "git_branch", "absolute_path"]),
            branch: scan.wants("git_branch"),
            model: scan.wants("model"),
        }
    }

    /// The columns of the table that this needs.
    pub fn head(self) -> Wanted {
        Wanted { parent: self.parent, folders: self.folders, ..Wanted::default() }
    }

    /// May the end of some document be needed before its first row?
    pub fn may_need_fields(self) -> bool {
        self.model || self.branch || self.folders || self.parent
    }

    /// Must the end of the document be read before the first row?
    pub fn needs_fields(self, thread: &Thread) -> bool {
        let has_folders = thread.head.trailing.folder_paths.as_ref().is_some_and(|paths| !paths.is_empty());
        let has_parent = thread.head.has_parent_column;
        self.model || self.branch || (self.folders && !has_folders) || (self.parent && !has_parent)
    }
}

/// What all rows of one thread share. What was not asked for is `None`.
#[derive(Debug, Clone, Default)]
pub struct Context {
    /// The thread.
    pub session_id: Option<Arc<str>>,
    /// The thread that started it.
    pub parent: Option<Arc<str>>,
    /// The thread's `updated_at`.
    pub time: Option<Time>,
    /// The folders of the project, the one that the user listed first in front.
    pub folders: Vec<Arc<str>>,
    /// The project: the first folder, else the snapshot's first.
    pub project: Option<Arc<str>>,
    /// The branch of the project when the thread began.
    pub branch: Option<Arc<str>>,
    /// `provider/model`
    pub model: Option<Arc<str>>,
    /// File and record.
    pub source: Source,
}

impl Context {
    /// As far as the row tells.
    pub fn of_head(thread: &Thread) -> Self {
        let head = &thread.head;
        let folders = folders(head.trailing.folder_paths.as_deref(), head.trailing.folder_paths_order.as_deref());
        let folders: Vec<Arc<str>> = folders.into_iter().filter(|folder| !folder.is_empty()).map(Arc::from).collect();
        Self {
            session_id: head.session_id.clone(),
            parent: head.trailing.parent_id.clone(),
            time: head.updated_at,
            project: folders.first().cloned(),
            folders,
            branch: None,
            model: None,
            source: thread.source(),
        }
    }

    /// What the document adds.
    pub fn add(&mut self, thread: &Thread, fields: &Fields, wanted: ContextWanted) {
        if wanted.parent && !thread.head.has_parent_column {
            self.parent = fields.subagent().and_then(|(parent, _)| parent).map(Arc::from);
        }
        if wanted.folders && self.folders.is_empty() {
            self.folders = fields.worktrees().filter_map(|tree| tree.path()).map(Arc::from).collect();
            self.project = self.folders.first().cloned();
        }
        if wanted.branch {
            let tree = fields.project_worktree(self.project.as_deref());
            let branch = tree.and_then(|tree| tree.git("current_branch")).and_then(|branch| branch.as_str());
            self.branch = branch.map(Arc::from);
        }
        if wanted.model {
            self.model = fields.model().and_then(|model| model.path()).map(Arc::from);
        }
    }

    /// `timestamp_basis`: NULL with the time.
    pub fn time_basis(&self) -> Option<&'static str> {
        self.time.map(|_| TIME_BASIS)
    }
}
