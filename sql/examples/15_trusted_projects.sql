-- 15. Which projects did I trust, on which host?
SELECT project_path, coalesce(host, '(this machine)') AS host, timestamp_utc AS store_time
FROM zed_permissions
WHERE kind = 'trust'
ORDER BY project_path;
