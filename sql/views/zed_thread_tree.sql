-- zed_thread_tree: every Zed thread below the thread that started it, indented by depth.
--
-- `path` orders a tree: a parent stands in front of its subagents. A thread whose parent is gone starts a tree of
-- its own and says so; threads that name each other as parents are listed once each.
CREATE TEMP VIEW zed_thread_tree AS
WITH RECURSIVE
  thread AS MATERIALIZED (
    SELECT
      session_id, parent_session_id, title, updated_at, created_at, project_path, source_path,
      parent_session_id IS NOT NULL
        AND NOT EXISTS (
          SELECT 1 FROM zed_threads AS p
          WHERE p.session_id = t.parent_session_id AND p.source_path = t.source_path
        ) AS is_parent_gone
    FROM zed_threads AS t
    WHERE store = 'threads_db'
  ),
  tree(session_id, source_path, root_session_id, depth, path) AS (
    SELECT session_id, source_path, session_id, 0, coalesce(created_at, updated_at, '') || session_id
    FROM thread
    WHERE parent_session_id IS NULL OR is_parent_gone
    UNION ALL
    SELECT
      thread.session_id, thread.source_path, tree.root_session_id, tree.depth + 1,
      tree.path || '/' || coalesce(thread.created_at, thread.updated_at, '') || thread.session_id
    FROM tree
    JOIN thread ON thread.parent_session_id = tree.session_id AND thread.source_path = tree.source_path
    WHERE tree.depth < 64
  )
SELECT
  coalesce(tree.root_session_id, thread.session_id) AS root_session_id,
  coalesce(tree.depth, 0) AS depth,
  thread.session_id,
  thread.parent_session_id,
  thread.is_parent_gone,
  printf('%*s%s', 2 * coalesce(tree.depth, 0), '', coalesce(thread.title, '(untitled)')) AS title,
  thread.updated_at,
  thread.project_path,
  coalesce(tree.path, 'circle/' || thread.session_id) AS path,
  thread.source_path
FROM thread
LEFT JOIN tree ON tree.session_id = thread.session_id AND tree.source_path = thread.source_path
ORDER BY thread.source_path, coalesce(tree.path, 'circle/' || thread.session_id);
