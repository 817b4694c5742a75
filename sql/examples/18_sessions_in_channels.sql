-- 18. Which sessions stand in more than one channel?
SELECT session_id, max(title) AS title, group_concat(DISTINCT channel) AS channels
FROM zed_sidebar_threads
WHERE session_id IS NOT NULL
GROUP BY session_id
HAVING count(DISTINCT channel) > 1
ORDER BY session_id;
