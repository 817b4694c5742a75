-- 17. Which threads belong to external agents (Claude, Codex, Gemini) that Zed drove, and where would their
-- transcripts be?
SELECT
  agent_id,
  session_id,
  title,
  updated_at,
  project_path,
  CASE
    WHEN agent_id LIKE 'claude%' THEN '~/.claude/projects'
    WHEN agent_id LIKE 'codex%' THEN '~/.codex/sessions'
    WHEN agent_id LIKE 'gemini%' THEN '~/.gemini/tmp'
    ELSE 'the store of ' || agent_id
  END AS transcript
FROM zed_sidebar_threads
WHERE agent_id IS NOT NULL
ORDER BY updated_at DESC;
