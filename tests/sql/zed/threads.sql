-- The rows of the table, without a look into the documents.
SELECT session_id, title, created_at, created_at_basis, updated_at, updated_at_basis, data_type, store, title_is_shared, error
FROM zed_threads('$F/zed/documents');

-- Folders: sorted as stored, and in the user's order.
SELECT project_path, folders, folder_paths, folder_paths_order FROM zed_threads('$F/zed/documents') WHERE session_id LIKE '%0001';

-- What stands in the document.
SELECT session_id, document_version, git_branch, git_head, git_remote, git_diff, snapshot_at, provider, model, profile
FROM zed_threads('$F/zed/documents');
SELECT session_id, completion_mode, thinking_enabled, thinking_effort, speed, is_imported, detailed_summary, draft_prompt, sandboxed_terminal_temp_dir
FROM zed_threads('$F/zed/documents');
SELECT worktrees FROM zed_threads('$F/zed/documents') WHERE worktrees IS NOT NULL;

-- Counts: elements of messages, those that the user typed, calls.
SELECT session_id, message_count, prompt_count, tool_call_count, error FROM zed_threads('$F/zed/documents');

-- The document as text is what the JSON functions take.
SELECT session_id, document_bytes = length(CAST(document AS BLOB)), json_valid(document), json_extract(document, '$.version')
FROM zed_threads('$F/zed/documents') WHERE document IS NOT NULL;

-- Z40: text threads of all four versions. Offsets are bytes; a thought aloud is one; an ended-in-error message says so.
SELECT session_id, message_index, item_index, message_id, turn_type, kind, text, model, timestamp_utc, timestamp_basis, source_pointer, error
FROM zed_messages('$F/zed/documents') WHERE timestamp_basis = 'file_mtime';
SELECT session_id FROM zed_messages('$F/zed/documents') WHERE session_id = 'c2' AND text LIKE 'hi';

-- The newest first, text threads among them.
SELECT session_id, updated_at FROM zed_threads('$F/zed/documents') ORDER BY updated_at DESC;
SELECT session_id FROM zed_threads('$F/zed/documents') WHERE updated_at > '2025-05-01' ORDER BY updated_at LIMIT 1;
