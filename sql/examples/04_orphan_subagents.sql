-- 4. Which subagent threads lost their parent?
SELECT c.session_id, c.parent_session_id AS missing_parent, c.title, c.updated_at
FROM zed_threads AS c
LEFT JOIN zed_threads AS p ON p.session_id = c.parent_session_id
WHERE c.parent_session_id IS NOT NULL AND p.session_id IS NULL
ORDER BY c.updated_at DESC;
