-- The fixtures of seed 004, every line: the chat is dated on a Saturday that it calls Friday; one model; the agentic
-- words once, the call and the step; the plugin's chat; what is selected and what is default; five settings.
SELECT timestamp_utc, timestamp_basis, session_id, project_path, turn_type, kind, model, tool_name, tool_use_id, text, source_line
FROM agent_timeline('$F/cody/seed') WHERE agent = 'cody';

-- Where each line comes from.
SELECT source_path, source_record, source_pointer FROM agent_timeline('$F/cody/seed');

-- Decisions: what is known, what the source cannot split, what nobody interprets; description and content behind.
SELECT turn_type, tool_name, tool_use_id, text FROM agent_timeline('$F/cody/tools')
WHERE text LIKE 'permission decision:%';

-- Models of a chat, a line a change, in front of the message that it answers.
SELECT turn_type, model, text FROM agent_timeline('$F/cody/tools')
WHERE session_id = 'Mon, 03 Mar 2025 09:00:00 GMT' AND (text LIKE 'model:%' OR turn_type = 'assistant');

-- The plugin's chats: complete pairs that the agent's store holds are told there, the rest here.
SELECT timestamp_utc, session_id, project_path, turn_type, model, text FROM agent_timeline('$F/cody/legacy')
WHERE source_path LIKE '%.xml';

-- Its odd files.
SELECT timestamp_utc, session_id, project_path, text, error FROM agent_timeline('$F/cody/legacy-odd/*');

-- Settings: of every file; a list is one line; a broken file that names a key of Cody's is one line.
SELECT timestamp_utc, session_id, project_path, text FROM agent_timeline('$F/cody/settings');
SELECT timestamp_utc, project_path, text FROM agent_timeline('$F/cody/settings-odd/*') WHERE agent = 'cody';

-- Preferences of every generation.
SELECT timestamp_utc, model, text FROM agent_timeline('$F/cody/prefs') WHERE text LIKE 'model setting:%' OR text LIKE 'parser:%';

-- Damage: the interaction that does not decode, with its chat; what does not read at all.
SELECT session_id, turn_type, kind, text, error FROM agent_timeline('$F/cody/damage') WHERE text LIKE 'parser:%';
SELECT session_id, text FROM agent_timeline('$F/cody/cut') WHERE text LIKE 'parser:%';
SELECT session_id, text FROM agent_timeline('$F/cody/files') WHERE text LIKE 'parser:%';

-- Editors: a backup tells what its store does not.
SELECT session_id, text, source_path FROM agent_timeline('$F/cody/editors') WHERE source_path LIKE '%.vscdb.backup' OR text LIKE 'parser:%';

-- By session: its lines only, no settings.
SELECT count(*), count(DISTINCT session_id) FROM agent_timeline('$F/cody/seed')
WHERE session_id = '2024-01-31T01:06:18.524621';

-- The agentic chat asks nothing; Cody makes no scratch directory and leaves no mark of what was deleted.
SELECT count(*) FROM agent_timeline('$F/cody/tools')
WHERE session_id = 'Mon, 03 Mar 2025 09:00:00 GMT' AND text LIKE 'permission decision:%';
SELECT count(*) FROM agent_timeline('$F/cody/*') WHERE agent = 'cody' AND text LIKE 'scratch directory:%';
