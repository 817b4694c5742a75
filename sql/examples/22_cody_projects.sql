-- 22. Cody chats per project.
SELECT
  coalesce(project_path, '(no files in the context)') AS project,
  count(*) AS chats,
  sum(message_count) AS messages,
  max(created_at) AS newest
FROM cody_chats
WHERE NOT is_secondary
GROUP BY project
ORDER BY chats DESC, project;
