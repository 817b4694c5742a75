//! SQLite's own JSON functions over a function that inflates: what one does without us in SQL.

use super::Result;
use super::ask::{self, Counts};
use rusqlite::functions::FunctionFlags;
use rusqlite::{Connection, Error, OpenFlags};
use std::path::Path;

/// The rows of [`jobs::COUNT`](super::jobs::COUNT): a message is taken out of its document, then each list out of it.
const EACH: &str = "
WITH message AS MATERIALIZED (
  SELECT m.value FROM threads, json_each(zstd(data, data_type), '$.messages') AS m)
SELECT turn_type, count(*) FROM (
  SELECT 'user' AS turn_type FROM message, json_each(message.value, '$.User.content')
  UNION ALL
  SELECT CASE kind.key WHEN 'Thinking' THEN 'thinking' WHEN 'ToolUse' THEN 'tool_use' ELSE 'assistant' END
  FROM message, json_each(message.value, '$.Agent.content') AS item, json_each(item.value) AS kind
  UNION ALL
  SELECT 'tool_result' FROM message, json_each(message.value, '$.Agent.tool_results')
  UNION ALL
  SELECT message.value ->> '$.role' FROM message, json_each(message.value, '$.segments')
  UNION ALL
  SELECT 'tool_use' FROM message, json_each(message.value, '$.tool_uses')
  UNION ALL
  SELECT 'tool_result' FROM message, json_each(message.value, '$.tool_results'))
GROUP BY 1";

/// Counts a `threads.db`'s messages by turn type.
pub fn each(store: &Path) -> Result<Counts> {
    let db = Connection::open_with_flags(store, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    db.create_scalar_function("zstd", 2, FunctionFlags::SQLITE_UTF8, |context| {
        let data = context.get_raw(0).as_blob().unwrap_or_default();
        let text = if context.get_raw(1).as_str() == Ok("json") { Ok(data.to_vec()) } else { zstd::decode_all(data) };
        text.map(|text| String::from_utf8(text).unwrap_or_default())
            .map_err(|error| Error::UserFunctionError(error.into()))
    })?;
    ask::counts(&db, EACH, [])
}
