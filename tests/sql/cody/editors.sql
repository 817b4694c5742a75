-- Every editor, profile and backup says what it is; the newest value counts; one that is no database costs no other.
SELECT product, store, title, text, error FROM cody_messages('$F/cody/editors') m
  LEFT JOIN (SELECT session_id AS id, source_path AS path, title FROM cody_chats('$F/cody/editors')) c
  ON c.id = m.session_id AND c.path = m.source_path WHERE turn_type = 'user' OR m.error IS NOT NULL;

-- A chat that was deleted since stands in the backup only.
SELECT product, store, title FROM cody_chats('$F/cody/editors') WHERE title = 'Deleted since';

-- The file itself, a folder above it, and the data folder of one editor are roots as well.
SELECT title FROM cody_chats('$F/cody/editors/.config/Cursor/User/globalStorage/state.vscdb')
UNION ALL SELECT title FROM cody_chats('$F/cody/editors/.config/Code/User')
UNION ALL SELECT title FROM cody_chats('$F/cody/editors/.config/Windsurf');

-- One chat by its id, out of a history that stands in a string.
SELECT message_index, text, source_pointer FROM cody_messages('$F/cody/editors') WHERE session_id = 'Fri, 10 Oct 2025 08:00:00 GMT';

-- Which plan reads it.
EXPLAIN QUERY PLAN SELECT text FROM cody_messages WHERE session_id = 'x' AND message_index < 4;
