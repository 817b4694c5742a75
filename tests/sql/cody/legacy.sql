-- Chats of both layouts, of the project and of the IDE; a copy inside the file counts once. The agent's store holds the
-- first: WHERE NOT is_secondary counts every chat once.
SELECT account_key, session_id, created_at, created_at_basis, message_count, models, first_prompt, project_path, store, is_secondary, source_record
FROM cody_chats('$F/cody/legacy');

-- Messages. Of a chat that was copied, the one that was not is no copy, though its text is that of another.
SELECT session_id, message_index, turn_type, text, model, timestamp_utc, timestamp_basis, store, product, is_secondary
FROM cody_messages('$F/cody/legacy');

-- Every message once.
SELECT count(*) FROM cody_messages('$F/cody/legacy') WHERE NOT is_secondary;

-- Where a message stands.
SELECT source_path, source_record, source_pointer FROM cody_messages('$F/cody/legacy') WHERE text LIKE 'line one%';

-- By session: both stores.
SELECT store, text FROM cody_messages('$F/cody/legacy') WHERE session_id = '2024-01-31T01:06:18.524621';

-- The file itself as root: nothing to compare it with.
SELECT session_id, is_secondary FROM cody_chats('$F/cody/legacy/proj/.idea/cody_history.xml');

-- Odd files: every message that stands whole before the cut, and one error in the chat that is cut; what a merge left
-- costs nothing but an error in its place; entities are not expanded, and cost one message; shells have no messages; an
-- empty file has no rows.
SELECT session_id, message_index, kind, text, project_path, error FROM cody_messages('$F/cody/legacy-odd/*');

-- Their chats: a cut one goes by its id, for its time stands behind its messages.
SELECT session_id, message_count, models, error FROM cody_chats('$F/cody/legacy-odd/*');
SELECT session_id, model, message_count, error FROM agent_sessions('$F/cody/legacy-odd/cut');
SELECT session_id, event, model, message_index, error FROM agent_models('$F/cody/legacy-odd/cut');
SELECT replace(path, '$F', '') AS path, status, records, errors FROM agent_sources('$F/cody/legacy-odd/*');

-- The chat that is cut, by its id.
SELECT message_index, text, error FROM cody_messages('$F/cody/legacy-odd/cut') WHERE session_id = 'id-2';
