-- Messages of 2023: lists of messages, interactions without accounts, accounts beside the old keys.
SELECT product, session_id, message_index, turn_type, timestamp_utc, timestamp_basis, project_path, account_key, text, source_pointer
FROM cody_messages('$F/cody/eras');

-- The chats, their era and the model that only the chat names.
SELECT session_id, title, created_at_basis, interaction_count, message_count, models, era, account_basis FROM cody_chats('$F/cody/eras');

-- Context stood on the interaction, or was a bare name.
SELECT session_id, message_index, "where", type, source, uri, path FROM cody_context('$F/cody/eras');

-- The prompt histories of the time.
SELECT kind, text, account_key, username, product, source_pointer, error FROM cody_prompts('$F/cody/eras');
