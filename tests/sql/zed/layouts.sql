-- Z38: every platform's layout below one home, on any host. A folder that simply holds a store is found when it is the root.
SELECT kind, path, status, format, records FROM agent_sources('$F/zed/layouts') WHERE agent = 'zed';
SELECT kind, path FROM agent_sources('$F/zed/layouts/copied') WHERE agent = 'zed';

-- Their rows.
SELECT session_id, text FROM zed_messages('$F/zed/layouts');
SELECT session_id, is_orphan FROM agent_sessions('$F/zed/layouts');
SELECT key, source_path FROM zed_permissions('$F/zed/layouts');
