-- Interaction i gives messages 2i and 2i+1; titles, models, times and the folder that the files share.
SELECT session_id, title, created_at, created_at_basis, last_interaction_raw, interaction_count, message_count, models, project_path, first_prompt
FROM cody_chats('$F/cody/chats');

-- The columns in front decode no turn.
SELECT session_id, title, interaction_count, bytes FROM cody_chats('$F/cody/chats');

-- Half an emoji is one U+FFFD, NUL stays, a whole one is whole.
SELECT hex(text) FROM cody_messages('$F/cody/chats') WHERE session_id = 'my own id' AND turn_type = 'user';

-- A time per message, and what it is.
SELECT session_id, message_index, timestamp_utc, timestamp_basis, model FROM cody_messages('$F/cody/chats');

-- The document as it is stored, and valid.
SELECT length(document), json_valid(document) FROM cody_chats('$F/cody/chats') WHERE session_id = '1759485600000';

-- Bounds on the message, with the folder that only the whole chat tells.
SELECT message_index, text, project_path FROM cody_messages('$F/cody/chats') WHERE session_id LIKE 'Wed, 20%' AND message_index >= 2;

-- LIKE on texts that are looked for before they are decoded: escaped in the store, in a call's arguments, ours.
SELECT message_index, item_index, text FROM cody_messages('$F/cody/editors') WHERE text LIKE '%twice," SHE%';
SELECT message_index, item_index, text FROM cody_messages('$F/cody/agentic') WHERE text LIKE '%"command":"pytest%' OR text LIKE '%[image]%';
SELECT message_index, item_index, text FROM cody_messages('$F/cody/agentic') WHERE text LIKE '%pytest%';
SELECT message_index, item_index, path FROM cody_context('$F/cody/context') WHERE content LIKE '%ISSUE%' OR content LIKE '%f(): ...%';
SELECT message_index, item_index, path FROM cody_context('$F/cody/context') WHERE content GLOB '*f(): ...*';
