-- 24. I deleted all Cody chats: what is left, and where? Backups and the JetBrains plugin's old file keep copies.
SELECT store, product, is_secondary, count(*) AS chats, sum(message_count) AS messages, source_path
FROM cody_chats
GROUP BY store, product, is_secondary, source_path
ORDER BY store, source_path, is_secondary;
