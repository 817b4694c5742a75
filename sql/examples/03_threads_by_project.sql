-- 3. My history lost its projects: which project was each thread in, newest first?
SELECT updated_at, project_path, folders, title, session_id
FROM zed_threads
ORDER BY updated_at DESC;
