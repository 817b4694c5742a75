-- 25. How big is my history and which sessions are the big ones?
SELECT 'zed' AS agent, session_id, title, blob_bytes AS stored_bytes, document_bytes AS bytes
FROM zed_threads
UNION ALL
SELECT 'cody', session_id, title, bytes, bytes
FROM cody_chats
ORDER BY stored_bytes DESC, session_id
LIMIT 10;
