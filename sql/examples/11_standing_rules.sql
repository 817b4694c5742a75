-- 11. What did I allow for good, and in which settings layer?
SELECT agent, coalesce(layer, '(top level)') AS layer, scope, key, value, timestamp_utc AS file_time
FROM agent_permissions
WHERE kind = 'setting'
ORDER BY agent, layer, key, value;
