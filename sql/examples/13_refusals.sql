-- 13. What was denied, by me or by a rule, and why?
SELECT timestamp_utc, agent, session_id, tool_name, command, decision, reason
FROM agent_permissions
WHERE kind = 'decision' AND decision IN ('denied', 'auto_denied', 'rejected', 'canceled')
ORDER BY timestamp_utc, session_id, message_index, item_index;
