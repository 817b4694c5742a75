//! The columns of `zed_threads`.

use crate::text::Text;
use crate::time::Time;
use std::sync::Arc;

crate::record! {
    /// One thread of Zed's agent: a row of threads.db, or the file of an old text thread.
    pub struct ThreadRow {
        /// `threads.id`; a text thread's own id. `=` and `IN` read only those threads.
        [key] session_id: Option<Arc<str>>,
        /// The thread that started this one as a subagent: the column parent_id, and the document's subagent_context in files that have no such column.
        parent_session_id: Option<Arc<str>>,
        /// Steps up to the root: 0 for a thread that a person started. NULL in a circle of parents.
        depth: Option<i64>,
        /// The topmost thread above this one, itself where it has no parent; an id that is gone where the parent was deleted. NULL in a circle.
        root_session_id: Option<Arc<str>>,
        /// The title. NULL when there is none; `New Thread` was written for none at times.
        [search] title: Option<Text>,
        /// UTC, fixed width: the first save. Threads older than March 2026 show their last save before then. NULL when not recorded.
        created_at: Option<Time>,
        /// UTC, fixed width: the last save; of a text thread the file's time.
        [range] updated_at: Option<Time>,
        /// `zstd` or `json`, as stored.
        data_type: Option<Arc<str>>,
        /// The document's `version`: `0.3.0`, `0.2.0`, …. NULL for the oldest, which have none.
        document_version: Option<Text>,
        /// Bytes of the stored document, compressed as it is.
        blob_bytes: Option<i64>,
        /// Bytes of the document's JSON text. Asking for it inflates the document.
        document_bytes: Option<i64>,
        /// The project: the folder that the user listed first, else the snapshot's first. NULL when unknown.
        project_path: Option<Arc<str>>,
        /// The folders as a JSON array, in the order in which the user listed them. NULL when none are recorded.
        folders: Option<Text>,
        /// The folders as stored: sorted, one a line.
        folder_paths: Option<Text>,
        /// The user's order of folder_paths, as stored: `1,0`.
        folder_paths_order: Option<Text>,
        /// Branch of the project when the thread began; of the snapshot's first folder where the project is not in it. NULL when not recorded.
        git_branch: Option<Text>,
        /// Commit that was checked out then.
        git_head: Option<Text>,
        /// URL of the project's remote.
        git_remote: Option<Text>,
        /// Difference between that commit and the files, as a diff. It can be huge.
        git_diff: Option<Text>,
        /// All folders of the snapshot with their git state, JSON as stored.
        worktrees: Option<Text>,
        /// UTC, fixed width: when the snapshot was taken, which is when the thread began.
        snapshot_at: Option<Time>,
        /// The model's provider: `anthropic`.
        provider: Option<Text>,
        /// The model that the thread last used, without provider.
        model: Option<Text>,
        /// The agent profile: `write`, `ask`, `minimal`, or one of the user's.
        profile: Option<Text>,
        /// `normal`, `burn` or `max`, while Zed had the setting (until January 2026).
        completion_mode: Option<Text>,
        /// 1 where the model was to think. NULL when not recorded.
        thinking_enabled: Option<bool>,
        /// How hard it was to think, in the provider's words.
        thinking_effort: Option<Text>,
        /// `standard` or `fast`.
        speed: Option<Text>,
        /// 1 where the document says that it came from a share (January to June 2026).
        is_imported: Option<bool>,
        /// 1 where the title begins with 🔗, which pasted and shared threads get.
        title_is_shared: Option<bool>,
        /// The long summary that is used when the thread is mentioned elsewhere.
        detailed_summary: Option<Text>,
        /// The unsent prompt, JSON as stored; zed_drafts has its text.
        draft_prompt: Option<Text>,
        /// Scratch directory of the sandboxed terminal (macOS).
        sandboxed_terminal_temp_dir: Option<Text>,
        /// How many elements `messages` has.
        message_count: Option<i64>,
        /// How many of them the user typed.
        prompt_count: Option<i64>,
        /// How many tool calls they hold.
        tool_call_count: Option<i64>,
        /// What created_at is: `thread_created_at`.
        created_at_basis: Option<&'static str>,
        /// What updated_at is: `thread_updated_at`, or `file_mtime` for text threads.
        updated_at_basis: Option<&'static str>,
        /// Where the thread is kept: `threads_db`, or `text_thread` for the files of 2023 to 2026.
        store: &'static str,
        /// The whole document, JSON text.
        [hidden] document: Option<Text>,
    }
}

/// Columns that the members around the messages fill.
pub const FIELD_COLUMNS: &[&str] = &[
    "document_version",
    "git_branch",
    "git_head",
    "git_remote",
    "git_diff",
    "worktrees",
    "snapshot_at",
    "provider",
    "model",
    "profile",
    "completion_mode",
    "thinking_enabled",
    "thinking_effort",
    "speed",
    "is_imported",
    "detailed_summary",
    "draft_prompt",
    "sandboxed_terminal_temp_dir",
];

/// Columns that the messages fill.
pub const COUNT_COLUMNS: &[&str] = &["message_count", "prompt_count", "tool_call_count"];
