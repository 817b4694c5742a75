-- Every chat once: a backup gives what its store does not have, the plugin's file what the agent's store does not have.
SELECT session_id, title, project_path, created_at, created_at_basis, updated_at, updated_at_basis, model, message_count, is_archived, is_external, is_orphan
FROM agent_sessions('$F/cody/seed');
SELECT session_id, model, message_count, created_at_basis, project_path FROM agent_sessions('$F/cody/legacy');
SELECT session_id, source_path FROM agent_sessions('$F/cody/editors');

-- The time of the last turn, where turns record one.
SELECT session_id, created_at, created_at_basis, updated_at, updated_at_basis, model, message_count
FROM agent_sessions('$F/cody/eras');

-- Damage stands on the chat's own row, or is one.
SELECT session_id, message_count, error FROM agent_sessions('$F/cody/damage') WHERE error IS NOT NULL;

-- Models that answered, a row a run, and one for each change.
SELECT session_id, event, model, previous_model, provider, message_index, timestamp_utc, timestamp_basis, source_pointer
FROM agent_models('$F/cody/tools');

-- Before v1.32 a chat had one model; the plugin's file tells the model that a chat was set to.
SELECT session_id, event, model, provider, message_index FROM agent_models('$F/cody/eras');
SELECT session_id, event, model, provider, message_index, source_path FROM agent_models('$F/cody/legacy');

-- Preferences of every generation: selected, and default.
SELECT event, model, provider, endpoint, usage, timestamp_utc, timestamp_basis, error FROM agent_models('$F/cody/prefs');

-- By session no preferences.
SELECT event, count(*) FROM agent_models('$F/cody/seed') WHERE session_id = 'Fri, 03 Oct 2026 10:00:00 GMT' GROUP BY event;
