-- A chat, then an agentic turn: the words once, the call, the step.
SELECT session_id, message_index, item_index, turn_type, kind, is_synthetic, timestamp_utc, timestamp_basis, project_path,
       model, tool_name, tool_use_id, text
FROM cody_messages('$F/cody/seed');

-- Where each row stands.
SELECT source_path, source_record, source_pointer FROM cody_messages('$F/cody/seed') LIMIT 2;

-- The chat in one row; the weekday of its id is wrong, which does not matter.
SELECT * FROM cody_chats('$F/cody/seed');

-- What was attached.
SELECT * FROM cody_context('$F/cody/seed');

-- Selected before default, at the file's time.
SELECT endpoint, usage, origin, model, provider, model_name, era, timestamp_utc, timestamp_basis, product, store
FROM cody_model_prefs('$F/cody/seed');

-- A chat by its id, with the plan that reads no other.
SELECT count(*) FROM cody_messages('$F/cody/seed') WHERE session_id = 'Fri, 03 Oct 2026 10:00:00 GMT';
