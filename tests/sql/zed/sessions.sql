-- Z23: threads, then what the sidebars list beside them: each session once, judged over all channels.
SELECT session_id, parent_session_id, title, is_archived, is_external, is_orphan, updated_at, updated_at_basis
FROM agent_sessions('$F/zed/reconcile') WHERE agent = 'zed';

-- Cells of the thread come from the thread, of an entry without thread from the entry.
SELECT session_id, project_path, created_at, created_at_basis, model, message_count, source_path
FROM agent_sessions('$F/zed/reconcile') WHERE agent = 'zed';

-- A key gives what the whole scan gives.
SELECT session_id, title, is_archived, is_orphan FROM agent_sessions('$F/zed/reconcile') WHERE session_id IN ('r', 'c2', 'lost-0001');

-- The seed.
SELECT session_id, title, is_archived, is_external, is_orphan, model, message_count FROM agent_sessions('$F/zed/seed')
WHERE agent = 'zed';

-- One store alone cannot tell what the other side lacks.
SELECT session_id, is_orphan FROM agent_sessions('$F/zed/reconcile/.local/share/zed/threads/threads.db');

-- Where the threads cannot be read, no entry is called lost.
SELECT session_id, is_orphan, error FROM agent_sessions('$F/zed/no-store') WHERE agent = 'zed';

-- Old text threads are in no sidebar.
SELECT session_id, title, is_orphan, updated_at_basis FROM agent_sessions('$F/zed/other-stores') WHERE agent = 'zed';

-- The model that each thread last used.
SELECT session_id, event, model, provider, timestamp_utc, timestamp_basis, project_path FROM agent_models('$F/zed/seed')
WHERE agent = 'zed'
UNION ALL
SELECT session_id, event, model, provider, timestamp_utc, timestamp_basis, project_path FROM agent_models('$F/zed/reconcile')
WHERE agent = 'zed';

-- A sidebar with a hole calls no thread an orphan, asked by key or not.
SELECT session_id, title, is_orphan FROM agent_sessions('$F/zed/panel-odd') WHERE session_id IN ('s17', 's40');
SELECT session_id, title, is_orphan FROM agent_sessions('$F/zed/panel-odd') WHERE source_path LIKE '%threads.db';
