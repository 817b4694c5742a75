-- Z34: every refused call.
SELECT kind, scope, layer, key, value, decision, reason, tool_name, tool_use_id, command, session_id, message_index, item_index
FROM zed_permissions('$F/zed/tool-cases') WHERE kind = 'decision' AND session_id = 'denials';

-- With the thread's time and project; one thread's by its key.
SELECT decision, command, session_id, project_path, host, timestamp_utc, timestamp_basis, source_record, source_pointer
FROM zed_permissions('$F/zed/tool-cases') WHERE session_id IN ('5', 'it''s') AND kind = 'decision';

-- The same as the calls say.
SELECT (SELECT count(*) FROM zed_permissions('$F/zed/tool-cases') WHERE kind = 'decision')
  = (SELECT count(decision) FROM zed_tool_calls('$F/zed/tool-cases')) AS is_same;

-- Grants of another type than Zed writes.
SELECT session_id, kind, key, value, source_pointer, error FROM zed_permissions('$F/zed/timeline') WHERE session_id LIKE 'odd-%';

-- The seed's denied call.
SELECT decision, tool_name, tool_use_id, command, session_id, timestamp_utc FROM zed_permissions('$F/zed/seed') WHERE kind = 'decision';

-- A kind is a key: only the stores that hold it are read.
EXPLAIN QUERY PLAN SELECT decision FROM zed_permissions WHERE kind = 'decision' AND session_id = 'x';
SELECT kind, count(*) FROM zed_permissions('$F/zed/seed') GROUP BY kind;
SELECT kind, count(*) FROM zed_permissions('$F/zed/seed') WHERE kind IN ('decision', 'trust') GROUP BY kind;
SELECT count(*) FROM zed_permissions('$F/zed/seed') WHERE kind = 'nothing';
SELECT count(*) FROM zed_permissions('$F/zed/nowhere') WHERE kind = 'nothing';
