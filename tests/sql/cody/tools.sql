-- One row a call. done stands on a failed command and on a refused edit; ids repeat; a call without a result, and a
-- result without a call, are rows.
SELECT message_index, item_index, tool_use_id, tool_name, arguments, arguments_complete, command, path, result, status, status_basis, exit_code
FROM cody_tool_calls('$F/cody/tools') WHERE session_id = 'Mon, 03 Mar 2025 09:00:00 GMT';

-- Deep Cody's steps: pending with items is ok.
SELECT message_index, item_index, tool_use_id, tool_name, arguments, command, path, result, status, status_basis, decision, decision_reason
FROM cody_tool_calls('$F/cody/tools') WHERE session_id = 'Tue, 04 Mar 2025 09:00:00 GMT';

-- Where calls stand, when, in which project, by which model, of which account and program.
SELECT tool_use_id, timestamp_utc, timestamp_basis, project_path, model, username, product, store, source_record, source_pointer
FROM cody_tool_calls('$F/cody/tools') WHERE message_index = 1;

-- What the tool itself recorded, as JSON.
SELECT tool_use_id, json_extract(output, '$.outputType'), json_extract(output, '$.status'), json_array_length(output)
FROM cody_tool_calls('$F/cody/tools') WHERE output IS NOT NULL;

-- The bounds of a scan do not change what a call says of its end.
SELECT count(*), sum(a.status IS b.status AND a.result IS b.result) FROM cody_tool_calls('$F/cody/tools') a
JOIN cody_tool_calls('$F/cody/tools') b
ON b.message_index = a.message_index AND b.session_id = a.session_id AND b.item_index = a.item_index;

-- Changes of files: whole texts where the tool kept them, what the call said, what an answer only proposed.
SELECT message_index, item_index, tool_use_id, path, absolute_path, operation, old_text, new_text, diff, lines_added, lines_removed, status, basis
FROM cody_edits('$F/cody/tools');

-- The seed's call: the step beside it tells how it ended.
SELECT message_index, item_index, tool_use_id, tool_name, arguments, command, result, status, status_basis
FROM cody_tool_calls('$F/cody/seed');

-- What the user answered: approved when the command left a trace.
SELECT message_index, item_index, kind, decision, reason, tool_name, tool_use_id, command, timestamp_utc, project_path
FROM cody_permissions('$F/cody/tools');
