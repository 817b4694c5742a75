-- 28. One timeline of everything agents did between two times, across tools.
SELECT timestamp_utc, agent, turn_type, coalesce(tool_name, '') AS tool, substr(text, 1, 70) AS text
FROM agent_timeline
WHERE timestamp_utc >= '2026-07-21' AND timestamp_utc < '2026-07-22';
