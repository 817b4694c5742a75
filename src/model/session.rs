//! A session, and the models that it used.

use crate::text::Text;
use crate::time::Time;
use std::sync::Arc;

crate::record! {
    /// One session of an agent: a thread, a chat, a sidebar entry whose transcript is elsewhere.
    pub struct Session {
        /// The program whose history it is: `zed`, `cody`.
        [key] agent: &'static str,
        /// The agent's own session id. NULL where the record did not decode.
        [key] session_id: Option<Arc<str>>,
        /// The session that started this one as a subagent.
        parent_session_id: Option<Arc<str>>,
        /// The title that the user sees. NULL when there is none.
        [search] title: Option<Text>,
        /// The project. NULL when unknown.
        project_path: Option<Arc<str>>,
        /// UTC, fixed width: when it was started, or first saved.
        [range] created_at: Option<Time>,
        /// What created_at is.
        created_at_basis: Option<&'static str>,
        /// UTC, fixed width: when it was last saved.
        [range] updated_at: Option<Time>,
        /// What updated_at is.
        updated_at_basis: Option<&'static str>,
        /// The model, as in the messages table: the last one used.
        model: Option<Arc<str>>,
        /// How many messages it has. NULL when the transcript is not here.
        message_count: Option<i64>,
        /// 1 where the user archived it.
        is_archived: Option<bool>,
        /// 1 where the transcript belongs to another agent that Zed drove.
        is_external: Option<bool>,
        /// 1 where a sidebar entry has no transcript, or no entry leads to a transcript (to a subagent's its parent leads). 0 where the transcript is another agent's to keep. NULL where one side cannot be read, and for sessions of agents and kinds that no sidebar lists.
        is_orphan: Option<bool>,
    }
}

crate::words! {
    /// What a model row tells.
    pub enum ModelEvent {
        /// It answered.
        Used = "used",
        /// It took over from previous_model inside a session.
        Changed = "changed",
        /// The user (or an experiment) selected it.
        Selected = "selected",
        /// The server's default.
        Default = "default",
    }
}

crate::record! {
    /// One model that a session used or changed to, or that a preference selects or defaults to.
    pub struct ModelUse {
        /// The program whose history it is: `zed`, `cody`.
        [key] agent: &'static str,
        /// The session. NULL for preferences.
        [key] session_id: Option<Arc<str>>,
        /// `used`, `changed`, `selected` or `default`.
        event: Option<ModelEvent>,
        /// Zed: `provider/model`. Cody: the model id as stored.
        model: Option<Arc<str>>,
        /// On changed rows: the model before.
        previous_model: Option<Arc<str>>,
        /// The model's provider, where it is known.
        provider: Option<Arc<str>>,
        /// Preferences: the Sourcegraph endpoint.
        endpoint: Option<Arc<str>>,
        /// Preferences: `chat`, `edit`, `autocomplete` or `unlimitedChat`.
        usage: Option<Arc<str>>,
        /// Position of the first message of the run. NULL for preferences.
        message_index: Option<i64>,
        /// UTC, fixed width; timestamp_basis says what it really is.
        [range] timestamp_utc: Option<Time>,
        /// What timestamp_utc is.
        timestamp_basis: Option<&'static str>,
        /// The session's project. NULL when unknown.
        project_path: Option<Arc<str>>,
    }
}
