-- commands_run: every shell command that an agent asked for, where it ran and how it ended.
--
-- `ran` is 0 for refused calls. `cwd` is what the call names, relative to the project's folders.
CREATE TEMP VIEW commands_run AS
SELECT
  timestamp_utc,
  timestamp_basis,
  agent,
  project_path,
  cwd,
  command,
  status,
  exit_code,
  status NOT IN ('denied', 'auto_denied') AS ran,
  decision_reason,
  result,
  tool_name,
  model,
  session_id,
  message_index,
  item_index,
  tool_use_id,
  source_path
FROM agent_tool_calls
WHERE command IS NOT NULL;
