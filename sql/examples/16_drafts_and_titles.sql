-- 16. Recover unsent prompts and renamed titles.
SELECT 'draft' AS what, timestamp_utc AS at, project_path, text AS content
FROM zed_drafts
UNION ALL
SELECT 'title', updated_at, project_path, title || ' → ' || title_override
FROM zed_sidebar_threads
WHERE title_override <> ''
ORDER BY at;
