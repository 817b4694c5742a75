-- A03: what the seed's panel and settings give.
SELECT timestamp_utc, timestamp_basis, session_id, project_path, git_branch, turn_type, kind, text, source_line
FROM agent_timeline('$F/zed/seed') WHERE agent = 'zed' AND source_path NOT LIKE '%threads.db';
-- Drafts whose entry is gone, values that do not decode: those come last, without a time.
SELECT timestamp_utc, session_id, project_path, text, source_line, error FROM agent_timeline('$F/zed/drafts') WHERE agent = 'zed';
-- Worktrees and trusted projects.
SELECT timestamp_utc, session_id, project_path, git_branch, text, source_line
FROM agent_timeline('$F/zed/worktrees') WHERE agent = 'zed' AND text NOT LIKE 'sidebar thread%';
-- Threads of external agents are named with their agent.
SELECT timestamp_utc, session_id, text FROM agent_timeline('$F/zed/sidebar') WHERE agent = 'zed';
-- A terminal shows the title that the user gave.
SELECT timestamp_utc, project_path, text FROM agent_timeline('$F/zed/remote') WHERE text LIKE 'sidebar terminal%';
-- The layer stands before the key.
SELECT text FROM agent_timeline('$F/zed/settings-layers') WHERE agent = 'zed';
-- Files that are none.
SELECT timestamp_utc, text, source_path, source_line, error FROM agent_timeline('$F/zed/settings-odd/*') WHERE agent = 'zed';
SELECT session_id, text, source_path, source_line FROM agent_timeline('$F/zed/no-store')
WHERE agent = 'zed' AND source_path NOT LIKE '%threads.db';
