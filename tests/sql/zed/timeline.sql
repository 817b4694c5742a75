-- A03: the seed, whole.
SELECT timestamp_utc, timestamp_basis, session_id, project_path, git_branch, turn_type, kind, model, tool_name, tool_use_id, text, source_line
FROM agent_timeline('$F/zed/seed') WHERE agent = 'zed' AND source_path LIKE '%threads.db';
-- Start, grants and scratch directory stand before the messages, a draft behind them, what does not decode last.
SELECT timestamp_utc, session_id, project_path, git_branch, turn_type, kind, tool_name, tool_use_id, text, source_line
FROM agent_timeline('$F/zed/timeline') WHERE agent = 'zed' AND (source_line = 1);
-- Documents that are none, and parts of old and future ones.
SELECT timestamp_utc, session_id, project_path, turn_type, kind, text, source_line, error
FROM agent_timeline('$F/zed/timeline') WHERE agent = 'zed' AND source_line > 1;
-- A file that is none.
SELECT timestamp_utc, session_id, text, source_line, source_path FROM agent_timeline('$F/zed/no-store') WHERE text LIKE 'parser%';
-- Old text threads.
SELECT timestamp_utc, timestamp_basis, session_id, turn_type, text, source_line FROM agent_timeline('$F/zed/other-stores');
-- The lines of a session.
SELECT count(*), count(DISTINCT rowid) FROM agent_timeline('$F/zed/timeline') WHERE session_id = 'refusals';
-- Between two times: a thread's first lines are older than its last save.
SELECT text FROM agent_timeline('$F/zed/timeline')
WHERE timestamp_utc >= '2026-07-20T10:00:00.000Z' AND timestamp_utc <= '2026-07-20T10:00:01.000Z';
-- A damaged page, and a table of another kind: what could be read stands, and a line tells of the rest.
SELECT session_id, text, source_line, source_path FROM agent_timeline('$F/zed/stores/*')
WHERE agent = 'zed' AND text LIKE 'parser%';
-- Sidebar tables that are none, or damaged: one entry is lost with its page.
SELECT min(text), max(text), count(*) FROM agent_timeline('$F/zed/panel-odd') WHERE text LIKE 'sidebar%';
SELECT text, error FROM agent_timeline('$F/zed/panel-odd') WHERE agent = 'zed' AND text NOT LIKE 'sidebar%';
