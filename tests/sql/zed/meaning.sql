-- Z18, Z19: usage. A request row knows the message that it is filed under; a repeat is no row; a wrong number is an error.
SELECT session_id, basis, message_id, message_index, input_tokens, output_tokens, cache_creation_input_tokens, cache_read_input_tokens, total_tokens, model, provider, is_best, source_pointer, error
FROM zed_token_usage('$F/zed/meaning');

-- The best figure of a thread counts nothing twice.
SELECT session_id, sum(total_tokens) FROM zed_token_usage('$F/zed/meaning') WHERE is_best GROUP BY 1;

-- Z19: what came from a share.
SELECT session_id, title, is_imported, title_is_shared FROM zed_threads('$F/zed/meaning') WHERE is_imported OR title_is_shared;

-- Z20: the folder that the user listed first, and its branch.
SELECT session_id, project_path, folders, folder_paths_order, git_branch FROM zed_threads('$F/zed/meaning') WHERE session_id LIKE 'folders-%';
SELECT session_id, project_path, git_branch FROM zed_messages('$F/zed/meaning') WHERE session_id LIKE 'folders-%';

-- Z21, Z22: subagents, orphans, circles.
SELECT session_id, parent_session_id, depth, root_session_id FROM zed_threads('$F/zed/meaning') WHERE session_id LIKE 'tree-%' OR parent_session_id IS NOT NULL;
SELECT c.session_id FROM zed_threads('$F/zed/meaning') c LEFT JOIN zed_threads('$F/zed/meaning') p ON p.session_id = c.parent_session_id
WHERE c.parent_session_id IS NOT NULL AND p.session_id IS NULL;
SELECT session_id, parent_session_id, text FROM zed_messages('$F/zed/meaning') WHERE parent_session_id IS NOT NULL;

-- Z36: what one thread was allowed.
SELECT kind, scope, key, value, session_id, project_path, timestamp_utc, timestamp_basis, source_pointer
FROM zed_permissions('$F/zed/meaning') WHERE kind = 'grant';
SELECT key, value FROM zed_permissions('$F/zed/documents') WHERE kind = 'grant';
