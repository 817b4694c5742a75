//! One change of a file that the history records.

use crate::text::Text;
use crate::time::Time;
use std::sync::Arc;

crate::words! {
    /// What was done to the file.
    pub enum Operation {
        /// It was made.
        Create = "create",
        /// Parts of it were replaced.
        Edit = "edit",
        /// It was written anew.
        Overwrite = "overwrite",
        /// It was deleted.
        Delete = "delete",
        /// It was moved to destination_path.
        Move = "move",
        /// It was copied to destination_path.
        Copy = "copy",
        /// A folder was made.
        Mkdir = "mkdir",
    }
}

crate::words! {
    /// Whether the change reached the file.
    pub enum EditStatus {
        /// It did.
        Applied = "applied",
        /// Some of it did before the call failed.
        Partial = "partial",
        /// It did not.
        Failed = "failed",
        /// The call succeeded and changed nothing.
        Unchanged = "unchanged",
        /// Nothing tells.
        Unknown = "unknown",
    }
}

crate::record! {
    /// One file change that the history records.
    pub struct Edit {
        /// The program whose history it is: `zed`, `cody`.
        [key] agent: &'static str,
        /// The agent's own session id. `=` and `IN` read only those sessions.
        [key] session_id: Option<Arc<str>>,
        /// Position of the message that holds the call, from 0.
        [range] message_index: Option<i64>,
        /// Position of the call in its message.
        item_index: Option<i64>,
        /// The call's id.
        [short] tool_use_id: Option<Text>,
        /// The tool's name as the model saw it.
        [short] tool_name: Option<Text>,
        /// The path as the call gave it.
        [short] path: Option<Text>,
        /// The path resolved against the session's folders. NULL where it cannot be.
        [short] absolute_path: Option<Text>,
        /// `create`, `edit`, `overwrite`, `delete`, `move`, `copy` or `mkdir`.
        operation: Option<Operation>,
        /// Moves and copies: the other path, as given.
        [short] destination_path: Option<Text>,
        /// Where basis is `output` or `metadata`: the whole file before, line ends as LF. Where it is `input` or `diff_fence`: the replaced part. NULL when not recorded.
        [search] old_text: Option<Text>,
        /// The whole file, or the part, after.
        [search] new_text: Option<Text>,
        /// The recorded diff: hunks without file headers. NULL when none is recorded.
        diff: Option<Text>,
        /// Lines that the recorded diff adds, or that differ between the two texts. NULL when neither is recorded.
        lines_added: Option<i64>,
        /// Lines that the recorded diff removes, or that differ between the two texts.
        lines_removed: Option<i64>,
        /// `applied`, `partial`, `failed`, `unchanged` or `unknown`.
        status: Option<EditStatus>,
        /// Where the change was read from: `output`, `input`, `diff_fence` or `metadata`.
        basis: Option<&'static str>,
        /// UTC, fixed width; timestamp_basis says what it really is.
        [range] timestamp_utc: Option<Time>,
        /// What timestamp_utc is.
        timestamp_basis: Option<&'static str>,
        /// The session's project. NULL when unknown.
        project_path: Option<Arc<str>>,
        /// The model, as in the messages table.
        model: Option<Arc<str>>,
    }
}
