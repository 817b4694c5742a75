-- 12. Which commands ran that a standing rule allowed, and which rule was it?
WITH rule AS MATERIALIZED (
  SELECT coalesce(layer || '.', '') || key AS key, json_extract(value, '$.pattern') AS pattern
  FROM agent_permissions
  WHERE kind = 'setting' AND key = 'agent.tool_permissions.tools.terminal.always_allow'
)
SELECT c.timestamp_utc, c.command, c.status, rule.key, rule.pattern
FROM agent_tool_calls AS c
JOIN rule ON regexp(rule.pattern, c.command)
WHERE c.agent = 'zed' AND c.command IS NOT NULL AND c.status NOT IN ('denied', 'auto_denied')
ORDER BY c.timestamp_utc, c.session_id, c.message_index, c.item_index;
