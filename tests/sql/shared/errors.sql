-- A bad record is listed under every table that it is missed in.
SELECT table_name, agent, session_id, error, source_path FROM agent_errors('$F/zed/settings-odd/*')
WHERE table_name LIKE '%permissions';

-- One table's; the same, whatever else is asked.
SELECT table_name, error FROM agent_errors('$F/zed/settings-odd/*') WHERE table_name = 'agent_permissions' AND agent = 'zed';

-- None without errors.
SELECT count(*) FROM agent_errors('$F/zed/settings');

-- The plan says what is read.
EXPLAIN QUERY PLAN SELECT error FROM agent_errors WHERE table_name = 'zed_permissions';
