-- 2. My old threads vanished from the panel after an update: are they still on disk?
SELECT
  s.session_id,
  s.title,
  s.updated_at,
  s.message_count,
  s.is_archived,
  s.parent_session_id IS NOT NULL AS is_subagent
FROM agent_sessions AS s
WHERE s.agent = 'zed'
  AND s.message_count IS NOT NULL
  AND (s.is_orphan = 1 OR s.is_archived = 1)
ORDER BY s.updated_at DESC;
