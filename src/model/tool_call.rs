//! One tool call with its result beside it.

use crate::text::Text;
use crate::time::Time;
use std::sync::Arc;

crate::words! {
    /// How a call ended.
    pub enum CallStatus {
        /// It returned, and nothing says that it failed.
        Ok = "ok",
        /// It failed.
        Error = "error",
        /// The user refused it.
        Denied = "denied",
        /// A rule refused it.
        AutoDenied = "auto_denied",
        /// The user stopped it.
        Canceled = "canceled",
        /// The session was saved before it returned.
        Pending = "pending",
        /// Nothing tells.
        Unknown = "unknown",
    }
}

crate::record! {
    /// One tool call with its result beside it. A call without a result, and a result without a call, are rows.
    pub struct ToolCall {
        /// The program whose history it is: `zed`, `cody`.
        [key] agent: &'static str,
        /// The agent's own session id. `=` and `IN` read only those sessions.
        [key] session_id: Option<Arc<str>>,
        /// Position of the message that holds the call, from 0.
        [range] message_index: Option<i64>,
        /// Position of the call (or the lone result) in its message, as in the messages table.
        item_index: Option<i64>,
        /// The call's id. It pairs call and result inside one message only: ids repeat.
        [short] tool_use_id: Option<Text>,
        /// The tool's name as the model saw it.
        [short] tool_name: Option<Text>,
        /// The arguments as compact JSON in stored order, or the broken text where they did not parse. NULL for a lone result.
        arguments: Option<Text>,
        /// 0 where the stream was cut before the arguments were complete.
        arguments_complete: Option<bool>,
        /// The shell command of a terminal tool.
        command: Option<Text>,
        /// The working directory that the call names, as given.
        [short] cwd: Option<Text>,
        /// The file or folder that the call is about, as given.
        [short] path: Option<Text>,
        /// The result as the model read it; `''` for an empty one, NULL without a result.
        [search] result: Option<Text>,
        /// The tool's structured output, JSON text always.
        output: Option<Text>,
        /// `ok`, `error`, `denied`, `auto_denied`, `canceled`, `pending` or `unknown`.
        status: Option<CallStatus>,
        /// The evidence for status: a field (`is_error`, `state`), a sentence of the text (`refusal_text`, `exit_code_text`, `terminal_text`, `sterr_suffix`, `failed_text`, `error_text`, `result_text`), what the call brought (`items`, `result`), or that it brought nothing (`no_result`).
        status_basis: Option<&'static str>,
        /// Exit code of a command, where its text tells one.
        exit_code: Option<i64>,
        /// Refused calls: `denied`, `auto_denied` or `canceled`; confirmations: `approved`, `rejected`, ….
        decision: Option<&'static str>,
        /// The rule or reason that the store gives for a refusal.
        decision_reason: Option<Text>,
        /// The session of the subagent that this call started.
        [short] child_session_id: Option<Text>,
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
