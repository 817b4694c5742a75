-- Every place, type and form: both spellings of a range, objects and strings, files of other systems, what is no file.
SELECT session_id, message_index, item_index, "where", type, source, uri, path, repo, start_line, end_line, size, content, title, error
FROM cody_context('$F/cody/context');

-- The folder that the files of a chat share.
SELECT session_id, project_path FROM cody_chats('$F/cody/context');

-- As stored.
SELECT raw, source_pointer FROM cody_context('$F/cody/context') WHERE type = 'symbol';
