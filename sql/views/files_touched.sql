-- files_touched: one row per file that agents changed: how often, by whom, when first and last.
--
-- Files are told apart by absolute path where the history resolves it, else by project and path as given.
CREATE TEMP VIEW files_touched AS
SELECT
  coalesce(absolute_path, path) AS file,
  count(*) AS changes,
  sum(status IN ('applied', 'partial')) AS applied,
  sum(status = 'failed') AS failed,
  sum(lines_added) AS lines_added,
  sum(lines_removed) AS lines_removed,
  group_concat(DISTINCT operation) AS operations,
  group_concat(DISTINCT agent) AS agents,
  count(DISTINCT session_id) AS sessions,
  min(timestamp_utc) AS first_change,
  max(timestamp_utc) AS last_change,
  project_path
FROM agent_edits
WHERE error IS NULL
GROUP BY coalesce(absolute_path, project_path || char(0) || path, path);
