-- The format's examples, each through every table that it concerns (fixtures/zed/README.md lists them).

-- The documents, of four generations: a row an item.
SELECT session_id, message_index AS m, item_index AS i, message_id, turn_type, kind, is_synthetic AS syn, tool_name, tool_use_id, is_error AS err, text, uri, source_pointer, error
FROM zed_messages('$F/zed/examples');
SELECT DISTINCT session_id, parent_session_id, timestamp_utc, timestamp_basis, project_path, git_branch, model, source_record
FROM zed_messages('$F/zed/examples');

-- Their threads.
SELECT session_id, parent_session_id, depth, root_session_id, title, created_at, updated_at, document_version, project_path, folders, message_count AS n, prompt_count AS p, tool_call_count AS c, store
FROM zed_threads('$F/zed/examples');
SELECT session_id, git_branch, git_head, git_remote, git_diff, snapshot_at, provider, model, profile, completion_mode, thinking_enabled, thinking_effort, speed, is_imported, detailed_summary, draft_prompt, error
FROM zed_threads('$F/zed/examples');

-- Calls and changes of files.
SELECT session_id, message_index AS m, item_index AS i, tool_use_id, tool_name, arguments, arguments_complete, command, cwd, path, status, status_basis, exit_code, child_session_id
FROM zed_tool_calls('$F/zed/examples');
SELECT session_id, tool_use_id, result, output FROM zed_tool_calls('$F/zed/examples');
SELECT session_id, tool_use_id, tool_name, operation, path, absolute_path, old_text, new_text, diff, lines_added, lines_removed, status, basis, source_pointer
FROM zed_edits('$F/zed/examples');

-- Usage: requests and totals.
SELECT session_id, basis, message_id, message_index, input_tokens, output_tokens, cache_creation_input_tokens, cache_read_input_tokens, total_tokens, model, provider, is_best
FROM zed_token_usage('$F/zed/examples');

-- Grants of a thread, rules of the settings file (which tools a profile offers is none), trust.
SELECT kind, scope, layer, key, value, tool_name, session_id, project_path, host, timestamp_basis, source_pointer
FROM zed_permissions('$F/zed/examples');

-- The panel.
SELECT channel, thread_id, session_id, agent_id, title, title_override, archived, created_at, updated_at, interacted_at, folders, project_path, main_worktrees, remote_kind, remote_host
FROM zed_sidebar_threads('$F/zed/examples');
SELECT channel, thread_id, session_id, text, project_path, timestamp_utc, timestamp_basis, source_pointer FROM zed_drafts('$F/zed/examples');
SELECT channel, kind, worktree_path, main_repo_path, branch, staged_commit, unstaged_commit, original_commit, git_ref, host, thread_id, session_id, timestamp_utc, timestamp_basis
FROM zed_worktrees('$F/zed/examples');
SELECT channel, terminal_id, title, custom_title, created_at, working_directory, folders, project_path, main_worktrees, remote_kind, remote_host
FROM zed_terminals('$F/zed/examples');

-- What all agents' tables make of them.
SELECT session_id, parent_session_id, title, project_path, created_at, created_at_basis, updated_at, updated_at_basis, model, message_count, is_archived, is_external, is_orphan
FROM agent_sessions('$F/zed/examples') WHERE agent = 'zed';
SELECT session_id, event, model, provider, timestamp_utc, timestamp_basis FROM agent_models('$F/zed/examples') WHERE agent = 'zed';
SELECT timestamp_utc, session_id, turn_type, kind, text FROM agent_timeline('$F/zed/examples') WHERE agent = 'zed' AND turn_type = 'system';
SELECT kind, path, status, journal, format, records, errors FROM agent_sources('$F/zed/examples') WHERE agent = 'zed';
SELECT count(*) FROM agent_errors('$F/zed/examples');

-- The folder that the user listed first, and usage by prompt, by SQL alone on the store: as the tables say.
ATTACH '$F/zed/examples/.local/share/zed/threads/threads.db' AS zed;
WITH RECURSIVE t(id, p, o, rest_p, rest_o) AS (
  SELECT id, '', '', folder_paths || char(10), folder_paths_order || ',' FROM zed.threads WHERE folder_paths IS NOT NULL
  UNION ALL
  SELECT id, substr(rest_p, 1, instr(rest_p, char(10)) - 1), substr(rest_o, 1, instr(rest_o, ',') - 1),
         substr(rest_p, instr(rest_p, char(10)) + 1), substr(rest_o, instr(rest_o, ',') + 1)
  FROM t WHERE rest_p <> '')
SELECT id, p, p = (SELECT project_path FROM zed_threads('$F/zed/examples') WHERE session_id = id) AS is_same FROM t WHERE o = '0';
SELECT t.id, u.key AS message_id, coalesce(u.value ->> 'input_tokens', 0) AS input_tokens,
  coalesce(u.value ->> 'input_tokens', 0) = (SELECT input_tokens FROM zed_token_usage('$F/zed/examples')
    WHERE session_id = t.id AND basis = 'request') AS is_same
FROM zed.threads t, json_each(zed_document(t.data, t.data_type), '$.request_token_usage') u WHERE typeof(u.key) = 'text';
