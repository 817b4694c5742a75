//! Tokens that a request, or a whole session, used.

use crate::text::Text;
use crate::time::Time;
use std::sync::Arc;

crate::words! {
    /// What a usage figure covers.
    pub enum UsageBasis {
        /// The last request of one turn.
        Request = "request",
        /// The whole session so far.
        Cumulative = "cumulative",
    }
}

crate::record! {
    /// One recorded usage figure: the last request of a turn, or the session's running total.
    pub struct TokenUsage {
        /// The program whose history it is: `zed`.
        [key] agent: &'static str,
        /// The agent's own session id. `=` and `IN` read only those sessions.
        [key] session_id: Option<Arc<str>>,
        /// `request` (the last request of one turn) or `cumulative` (the session).
        basis: Option<UsageBasis>,
        /// On request rows: the user message that the figure is filed under.
        [short] message_id: Option<Text>,
        /// On request rows: position of that message. NULL when it is gone.
        message_index: Option<i64>,
        /// Tokens in the prompt that no cache held.
        input_tokens: Option<i64>,
        /// Tokens that the model wrote.
        output_tokens: Option<i64>,
        /// Prompt tokens written to the cache.
        cache_creation_input_tokens: Option<i64>,
        /// Prompt tokens read from the cache.
        cache_read_input_tokens: Option<i64>,
        /// The sum of the four.
        total_tokens: Option<i64>,
        /// The session's model, without provider.
        model: Option<Arc<str>>,
        /// The model's provider.
        provider: Option<Arc<str>>,
        /// 1 on the rows whose sum is the best figure for the session: the larger of the cumulative row and the request rows' sum. Sum these to count nothing twice.
        is_best: Option<bool>,
        /// UTC, fixed width; timestamp_basis says what it really is.
        [range] timestamp_utc: Option<Time>,
        /// What timestamp_utc is.
        timestamp_basis: Option<&'static str>,
        /// The session's project. NULL when unknown.
        project_path: Option<Arc<str>>,
    }
}
