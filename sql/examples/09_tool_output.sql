-- 9. The tool output is gone from the panel: show it.
SELECT message_index, tool_name, coalesce(command, path) AS what, status, result
FROM agent_tool_calls
WHERE session_id = 'b5a0c0de-0000-4000-8000-000000000001'
ORDER BY message_index, item_index;
