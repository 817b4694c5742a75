-- agent_conversation: one row per message, what user and assistant said to each other.
--
-- Texts and the inlined content of mentions are joined by newlines, in stored order. Thinking, tool calls, tool
-- results, images, control markers and system messages are left out: it is what a search index should hold.
-- A session_id in WHERE reads only that session.
CREATE TEMP VIEW agent_conversation AS
SELECT
  agent,
  session_id,
  message_index,
  turn_type,
  group_concat(text, char(10)) AS text,
  timestamp_utc,
  timestamp_basis,
  project_path,
  model,
  source_path,
  source_record
FROM (
  SELECT *
  FROM agent_messages
  WHERE turn_type IN ('user', 'assistant') AND kind IN ('text', 'mention') AND text <> ''
)
GROUP BY source_path, agent, session_id, source_record, message_index;
