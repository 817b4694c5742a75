-- Every shape of an export in one folder, told by shape; other JSON files give nothing.
SELECT replace(source_path, '$F/cody/exports/', '') AS file, session_id, created_at, title, message_count, models, first_prompt, era, account_key, store, source_pointer, error
FROM cody_chats('$F/cody/exports');

SELECT replace(source_path, '$F/cody/exports/', '') AS file, message_index, text, timestamp_utc, timestamp_basis, source_pointer
FROM cody_messages('$F/cody/exports');

-- One file as root; one chat by its id.
SELECT text FROM cody_messages('$F/cody/exports/g-utf16.json');
SELECT text FROM cody_messages('$F/cody/exports') WHERE session_id = 'Wed, 20 Nov 2024 09:05:00 GMT';

SELECT kind, text, source_path = '$F/cody/exports/b-account.json' AS is_b FROM cody_prompts('$F/cody/exports');
