-- Z01: a current document. Mentions are URIs, images a word, redacted thinking nothing.
SELECT message_index, item_index, turn_type, kind, is_synthetic, tool_name, tool_use_id, is_error, text, uri, source_pointer, error
FROM zed_messages('$F/zed/documents') WHERE session_id = 'b5a0c0de-0000-4000-8000-000000000001';

-- Z02: generation 0.2.0. Context stands between segments and calls; hidden messages were not typed.
SELECT message_index, item_index, message_id, turn_type, kind, is_synthetic, tool_name, text, source_pointer, error
FROM zed_messages('$F/zed/documents') WHERE session_id = 'b5a0c0de-0000-4000-8000-000000000002';

-- Z03: generation 0.1.0. The results stand in the next user message and take the tool's name from the call before.
SELECT message_index, item_index, turn_type, kind, is_synthetic, tool_name, tool_use_id, is_error, text, source_pointer, error
FROM zed_messages('$F/zed/documents') WHERE session_id = 'b5a0c0de-0000-4000-8000-000000000003';

-- Z04: no version at all, and the type json.
SELECT session_id, message_index, item_index, message_id, turn_type, kind, text, source_pointer, error
FROM zed_messages('$F/zed/documents') WHERE session_id > 'b5a0c0de-0000-4000-8000-000000000003';

-- What all rows of a thread share: the model as provider/model, the folder that the user listed first and its branch.
SELECT DISTINCT session_id, parent_session_id, timestamp_utc, timestamp_basis, project_path, git_branch, model, source_record
FROM zed_messages('$F/zed/documents');

-- The items as stored.
SELECT raw FROM zed_messages('$F/zed/documents') WHERE session_id LIKE '%1' AND message_index IN (0, 2, 3);

-- Z03: over all generations, what was not typed.
SELECT session_id, message_index, kind, text FROM zed_messages('$F/zed/documents') WHERE is_synthetic;

-- The newest thread first; bounds on the message.
SELECT session_id, count(*) FROM (SELECT session_id FROM zed_messages('$F/zed/documents') ORDER BY timestamp_utc DESC) GROUP BY 1;
SELECT session_id, message_index, text FROM zed_messages('$F/zed/documents') WHERE message_index = 1 AND turn_type = 'assistant';
SELECT message_index, tool_name FROM zed_messages('$F/zed/documents') WHERE message_index = 2 AND kind = 'tool_result';

-- S04: a rowid is an identity, under a plan by key too.
SELECT count(*), count(DISTINCT rowid) FROM zed_messages('$F/zed/documents');
SELECT count(*) FROM zed_messages('$F/zed/documents') a JOIN zed_messages('$F/zed/documents') b ON b.session_id = a.session_id AND b.rowid = a.rowid AND b.source_pointer = a.source_pointer;
