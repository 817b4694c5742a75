-- The seed's worktree: made, and archived with its thread.
SELECT channel, kind, worktree_path, main_repo_path, branch, staged_commit, unstaged_commit, original_commit, git_ref,
  host, thread_id, session_id, timestamp_utc, timestamp_basis
FROM zed_worktrees('$F/zed/seed');

-- Z32: one row per linked thread, one without thread where none is linked.
SELECT channel, worktree_path, main_repo_path, branch, staged_commit, unstaged_commit, original_commit, git_ref,
  session_id, timestamp_basis, source_record
FROM zed_worktrees('$F/zed/worktrees') WHERE kind = 'archived';

-- A created one knows its repository through a thread in it, or through its archive.
SELECT worktree_path, main_repo_path, host, session_id, timestamp_utc, timestamp_basis, source_record, error
FROM zed_worktrees('$F/zed/worktrees') WHERE kind = 'created';

-- As stored.
SELECT kind, raw FROM zed_worktrees('$F/zed/worktrees') WHERE session_id IS NULL;

-- Z32: trusted projects are permissions.
SELECT kind, scope, key, value, project_path, host, timestamp_utc, timestamp_basis, source_record
FROM zed_permissions('$F/zed/worktrees') WHERE kind = 'trust';
