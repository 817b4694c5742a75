-- 8. Which commands did the agent run, where, and which failed?
SELECT timestamp_utc, agent, project_path, cwd, command, status, exit_code
FROM agent_tool_calls
WHERE command IS NOT NULL AND status NOT IN ('denied', 'auto_denied')
ORDER BY timestamp_utc, session_id, message_index, item_index;
