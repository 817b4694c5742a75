//! A grant, a standing rule, a trusted project, a decision about one call.

use crate::text::Text;
use crate::time::Time;
use std::sync::Arc;

crate::words! {
    /// What kind of permission a row is.
    pub enum PermissionKind {
        /// Approved for one thread.
        Grant = "grant",
        /// A standing rule of a settings file.
        Setting = "setting",
        /// A trusted project.
        Trust = "trust",
        /// One call was refused, or asked for.
        Decision = "decision",
    }
}

crate::record! {
    /// One grant, standing rule, trusted project, or decision about a call. List values give one row an entry.
    pub struct Permission {
        /// The program whose history it is: `zed`, `cody`.
        [key] agent: &'static str,
        /// `grant`, `setting`, `trust` or `decision`. `=` and `IN` read only the stores that hold such rows.
        [key] kind: Option<PermissionKind>,
        /// How far it reaches: `thread`, `user`, `global`, `project` or `project_fallback`.
        scope: Option<&'static str>,
        /// The override block of a settings file: `stable`, `linux`, `profiles.demo`. NULL for the top level.
        layer: Option<Arc<str>>,
        /// The key, dotted, without list position and layer.
        key: Option<Arc<str>>,
        /// The value: plain text, `true` or `false`, or compact JSON.
        value: Option<Text>,
        /// `denied`, `auto_denied`, `canceled`, `rejected`, `approved`, `unanswered` or `approved_or_unanswered`.
        decision: Option<&'static str>,
        /// The reason that the store gives.
        reason: Option<Text>,
        /// The tool that the row is about.
        [short] tool_name: Option<Text>,
        /// The call that the row is about.
        [short] tool_use_id: Option<Text>,
        /// The shell command that was asked for.
        command: Option<Text>,
        /// The session, for grants and decisions.
        [key] session_id: Option<Arc<str>>,
        /// Position of the message, for decisions.
        message_index: Option<i64>,
        /// Position in the message, for decisions.
        item_index: Option<i64>,
        /// The project, where there is one.
        project_path: Option<Arc<str>>,
        /// The remote host, `user@host`. NULL for this machine.
        host: Option<Arc<str>>,
        /// UTC, fixed width; timestamp_basis says what it really is.
        [range] timestamp_utc: Option<Time>,
        /// What timestamp_utc is: `thread_updated_at`, `chat_id`, `file_mtime`.
        timestamp_basis: Option<&'static str>,
    }
}
