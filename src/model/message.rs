//! One item of a message: what was said, thought, called, returned.

use crate::text::Text;
use crate::time::Time;
use std::sync::Arc;

crate::words! {
    /// Who speaks, in the words that history tools share.
    pub enum TurnType {
        /// The person, or what stands in the person's turn.
        User = "user",
        /// The model's answer.
        Assistant = "assistant",
        /// The model's reasoning.
        Thinking = "thinking",
        /// The model calls a tool.
        ToolUse = "tool_use",
        /// What the tool returned.
        ToolResult = "tool_result",
        /// The program itself.
        System = "system",
    }
}

crate::words! {
    /// What an item is, finer than its turn.
    pub enum MessageKind {
        /// Plain text.
        Text = "text",
        /// A reference to a file, symbol, thread, … with the content that was inlined for the model.
        Mention = "mention",
        /// A picture.
        Image = "image",
        /// Reasoning in clear.
        Thinking = "thinking",
        /// Reasoning that the provider encrypted.
        RedactedThinking = "redacted_thinking",
        /// A tool call.
        ToolUse = "tool_use",
        /// A tool's result.
        ToolResult = "tool_result",
        /// The user pressed continue.
        Resume = "resume",
        /// A summary that replaces what came before it when prompting.
        Compaction = "compaction",
        /// Attached files as they were rendered for the model.
        Context = "context",
        /// Media of another kind.
        Media = "media",
        /// A search and its results.
        Search = "search",
        /// A step of an agentic run.
        Step = "step",
        /// A question to the user whether something may be done.
        Confirmation = "confirmation",
        /// An error that the program stored.
        Error = "error",
        /// An item of no known kind; `raw` holds it.
        Unknown = "unknown",
    }
}

crate::record! {
    /// One content item of a message, or one tool result.
    pub struct Message {
        /// The program whose history it is: `zed`, `cody`.
        [key] agent: &'static str,
        /// The agent's own session id: Zed `threads.id`, Cody chat id. `=` and `IN` read only those sessions.
        [key] session_id: Option<Arc<str>>,
        /// The session that started this one as a subagent. NULL for sessions that a person started.
        parent_session_id: Option<Arc<str>>,
        /// Position of the message in the session, from 0. Cody: interaction i gives messages 2i (human) and 2i+1 (assistant). NULL where the record did not decode.
        [range] message_index: Option<i64>,
        /// Position of the item in the message, from 0: content items, then tool results in stored order. NULL where the message did not decode.
        item_index: Option<i64>,
        /// The store's own message id as text. NULL where the store keeps none.
        [short] message_id: Option<Text>,
        /// `user`, `assistant`, `thinking`, `tool_use`, `tool_result` or `system`. NULL where the record did not decode.
        turn_type: Option<TurnType>,
        /// Finer than turn_type: `text`, `mention`, `image`, `thinking`, `redacted_thinking`, `tool_use`, `tool_result`, `resume`, `compaction`, `context`, `media`, `search`, `step`, `confirmation`, `error` or `unknown`.
        kind: Option<MessageKind>,
        /// 1 where a user turn was not typed by the user: resume, attached context, hidden messages, carriers of tool results. 0 otherwise.
        is_synthetic: Option<bool>,
        /// UTC, fixed width; timestamp_basis says what it really is. Zed: the thread's updated_at, since messages carry no time.
        [range] timestamp_utc: Option<Time>,
        /// What timestamp_utc is: `thread_updated_at`, `chat_id`, `interaction`, `record`, `updated_at` (legacy XML), `file_mtime`; `…_local` where the store names no zone and UTC is assumed.
        timestamp_basis: Option<&'static str>,
        /// The project: the folder that the user listed first, or the common folder of the files in the context. NULL when unknown.
        project_path: Option<Arc<str>>,
        /// Git branch at the start of the session. NULL when not recorded.
        git_branch: Option<Arc<str>>,
        /// Zed: `provider/model` of the thread as last saved. Cody: the model recorded on this message. NULL when none is.
        model: Option<Arc<str>>,
        /// Tool rows: the tool's name as the model saw it.
        [short] tool_name: Option<Text>,
        /// Tool rows: the id that pairs a call with its result, inside one message only.
        [short] tool_use_id: Option<Text>,
        /// Result rows: 1 where the store marks the result as an error. NULL elsewhere.
        is_error: Option<bool>,
        /// What a person would read: text, the call's arguments as JSON, a result's texts joined by newlines with `[image]` for images, a mention's inlined content. NULL where there is none.
        [search] text: Option<Text>,
        /// Mentions and context files: a normalised URI.
        [short] uri: Option<Text>,
        /// The item as stored, JSON text; bytes that did not decode as hex.
        raw: Option<Text>,
    }
}
