//! Everything that agents did, as one line each.

use super::message::{MessageKind, TurnType};
use crate::text::Text;
use crate::time::Time;
use std::sync::Arc;

crate::record! {
    /// One line of the timeline: a message item, a model, a permission, a draft, a store's state, a bad record.
    pub struct TimelineEntry {
        /// UTC, fixed width. NULL where the record names no time.
        [range] timestamp_utc: Option<Time>,
        /// What timestamp_utc is, as in agent_messages; `thread_created_at` and `snapshot` for what belongs to a session's start.
        timestamp_basis: Option<&'static str>,
        /// The program whose history it is: `zed`, `cody`.
        [key] agent: &'static str,
        /// The session. NULL for settings, drafts and stores.
        [key] session_id: Option<Arc<str>>,
        /// The project. NULL when unknown.
        project_path: Option<Arc<str>>,
        /// Git branch at the start of the session. NULL when not recorded.
        git_branch: Option<Arc<str>>,
        /// As in agent_messages; `system` for lines that no message gives.
        turn_type: Option<TurnType>,
        /// As in agent_messages. NULL for lines that no message gives.
        kind: Option<MessageKind>,
        /// The model, as in agent_messages.
        model: Option<Arc<str>>,
        /// The tool's name.
        tool_name: Option<Text>,
        /// The call's id.
        tool_use_id: Option<Text>,
        /// The line: a message's text, or `model: …`, `permission setting: …`, `permission decision: …`, `git remote: …`, `unsent draft: …`, `archived worktree: …`, `sidebar terminal: …`, `sidebar thread: …`, `scratch directory: …`, `chat: …`, `parser: …`.
        [search] text: Option<Text>,
        /// The record's number in its file: a rowid, or 1 for a file that is one value. NULL when there is none.
        source_line: Option<i64>,
    }
}
