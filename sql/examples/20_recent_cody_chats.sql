-- 20. My Cody chats of the last days of use, with titles.
SELECT created_at, coalesce(title, substr(first_prompt, 1, 60)) AS title, message_count, product, session_id
FROM cody_chats
WHERE created_at >= (SELECT datetime(max(created_at), '-7 days') FROM cody_chats)
  AND NOT is_secondary
ORDER BY created_at DESC;
