-- 7. On which days and in which weeks were they spent? The time is the thread's last save, and says so.
SELECT
  date(timestamp_utc) AS day,
  strftime('%Y-W%W', timestamp_utc) AS week,
  sum(total_tokens) AS tokens,
  count(DISTINCT session_id) AS sessions,
  group_concat(DISTINCT timestamp_basis) AS time_is
FROM agent_token_usage
WHERE is_best = 1
GROUP BY day
ORDER BY day;
