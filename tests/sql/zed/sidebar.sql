-- The seed's rows.
SELECT channel, thread_id, session_id, agent_id, title, archived, updated_at, interacted_at, project_path, main_worktrees
FROM zed_sidebar_threads('$F/zed/seed');

-- Z28: every shape of the table, every channel.
SELECT channel, thread_id, session_id, agent_id, title, title_override, archived
FROM zed_sidebar_threads('$F/zed/sidebar');

-- Times, folders in the user's order; what is no time, or no fitting order, costs only itself.
SELECT session_id, created_at, updated_at, interacted_at, folders, project_path, main_worktrees
FROM zed_sidebar_threads('$F/zed/sidebar');

-- As stored.
SELECT raw FROM zed_sidebar_threads('$F/zed/sidebar') WHERE session_id IN ('b5a0c0de-0000-4000-8000-000000000104', '106');

-- A key reads the entries of all channels.
SELECT channel, title FROM zed_sidebar_threads('$F/zed/sidebar')
WHERE session_id = 'b5a0c0de-0000-4000-8000-000000000101';

-- A number is the text that it is spelled as.
SELECT channel, title FROM zed_sidebar_threads('$F/zed/sidebar') WHERE session_id = 106;

-- Z29: rows, updates and deletes that only the log holds.
SELECT session_id, title, updated_at FROM zed_sidebar_threads('$F/zed/sidebar-wal');

-- Z30: remote projects: kind and host.
SELECT session_id, remote_kind, remote_host, project_path, error FROM zed_sidebar_threads('$F/zed/remote');

-- Terminals, of which the second has nothing to show.
SELECT channel, terminal_id, title, custom_title, created_at, working_directory, folders, project_path, main_worktrees,
  remote_kind, remote_host, error
FROM zed_terminals('$F/zed/remote');

-- The seed's terminal.
SELECT title, created_at, working_directory, project_path FROM zed_terminals('$F/zed/seed');

-- No password, argument or environment in any cell.
SELECT count(*), sum(t.raw || coalesce(t.error, '') LIKE '%SECRET%') FROM zed_sidebar_threads('$F/zed/remote') t;

-- Nor in what terminals show of themselves.
SELECT raw FROM zed_terminals('$F/zed/remote');

-- Z15: a file that is no database is one row; its neighbour reads.
SELECT channel, session_id, title, error FROM zed_sidebar_threads('$F/zed/no-store');

-- An empty file holds nothing.
SELECT count(*) FROM zed_sidebar_threads('$F/zed/zero-bytes');

-- A destroyed page costs its one entry; a view in the table's place would run the store's own code.
SELECT channel, count(*), count(session_id), count(error), max(error) FROM zed_sidebar_threads('$F/zed/panel-odd') GROUP BY 1;
