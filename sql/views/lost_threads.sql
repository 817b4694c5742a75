-- lost_threads: sessions that the agent panel no longer shows, and panel entries whose transcript is gone.
--
-- `state` says which: `on disk, not in the panel` (the thread still reads: its messages are in zed_messages),
-- `parent is gone` (a subagent that outlived its thread), `archived`, `in the panel, transcript gone`.
CREATE TEMP VIEW lost_threads AS
SELECT
  CASE
    WHEN is_external THEN 'external agent keeps the transcript'
    WHEN message_count IS NULL AND error IS NULL THEN 'in the panel, transcript gone'
    WHEN parent_session_id IS NOT NULL THEN 'parent is gone'
    WHEN is_orphan THEN 'on disk, not in the panel'
    ELSE 'archived'
  END AS state,
  session_id,
  title,
  project_path,
  created_at,
  updated_at,
  message_count,
  error,
  source_path
FROM agent_sessions
WHERE agent = 'zed' AND session_id IS NOT NULL AND is_external = 0 AND (is_orphan = 1 OR is_archived = 1)
ORDER BY updated_at DESC;
