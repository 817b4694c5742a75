-- 23. Chats that sit under an old account key: no longer the form that Cody writes, `<endpoint>/-<user>`.
SELECT account_key, endpoint, username, account_basis, count(*) AS chats, max(created_at) AS newest
FROM cody_chats
WHERE account_key IS NULL OR account_key NOT LIKE '%/-%' OR username LIKE '%@%'
GROUP BY account_key, source_path
ORDER BY account_key;
