-- What stands before a cut reads, then one row tells. The state's other members are never shown.
SELECT product, session_id, message_index, text, raw, error FROM cody_messages('$F/cody/cut');

-- The chat that is cut has a row.
SELECT product, session_id, title, message_count, document, error FROM cody_chats('$F/cody/cut');

-- By key: a whole chat, and the one that is cut.
SELECT session_id, message_index, text, error FROM cody_messages('$F/cody/cut')
WHERE session_id IN ('Tue, 21 Oct 2025 09:01:00 GMT', 'Tue, 21 Oct 2025 09:02:00 GMT');

-- Nothing of the token in any table.
SELECT count(*) FROM cody_messages('$F/cody/cut') WHERE json_array(session_id, text, raw, error, source_pointer, tool_name, model) LIKE '%SECRET%'
UNION ALL SELECT count(*) FROM cody_chats('$F/cody/cut') WHERE json_array(session_id, title, document, first_prompt, models, error, source_pointer) LIKE '%SECRET%'
UNION ALL SELECT count(*) FROM cody_context('$F/cody/cut') WHERE json_array(session_id, raw, content, error) LIKE '%SECRET%'
UNION ALL SELECT count(*) FROM cody_prompts('$F/cody/cut') WHERE json_array(text, uri, error, source_pointer) LIKE '%SECRET%'
UNION ALL SELECT count(*) FROM cody_model_prefs('$F/cody/cut') WHERE json_array(endpoint, usage, model, error, source_pointer) LIKE '%SECRET%';
