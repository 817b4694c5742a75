-- Every item of the one thread and of the one that ran in a worktree, in document order.
SELECT session_id, message_index AS m, item_index AS i, turn_type, kind, is_synthetic AS syn, tool_name, tool_use_id, is_error AS err, text, uri
FROM zed_messages('$F/zed/seed');

-- What all rows of a thread share.
SELECT DISTINCT session_id, timestamp_utc, timestamp_basis, project_path, git_branch, model
FROM zed_messages('$F/zed/seed');

-- Where an item came from.
SELECT source_path, source_record, source_pointer FROM zed_messages('$F/zed/seed') WHERE tool_use_id = 'toolu_01';

-- A denied call left its refusal as its result.
SELECT tool_use_id, tool_name, command, status, status_basis, decision, decision_reason FROM zed_tool_calls('$F/zed/seed');

-- What the threads table and the documents say of a thread.
SELECT title, created_at, updated_at, document_version, project_path, git_branch, git_head, git_remote, snapshot_at, provider, model, message_count AS n, prompt_count AS p, tool_call_count AS c
FROM zed_threads('$F/zed/seed');
