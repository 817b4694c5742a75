-- 21. Search inside Cody chats, not only titles.
SELECT m.timestamp_utc, m.session_id, m.message_index, m.turn_type, substr(m.text, 1, 80) AS text
FROM cody_messages AS m
WHERE m.text LIKE '%benchmark%' AND NOT m.is_secondary
ORDER BY m.timestamp_utc, m.session_id, m.message_index, m.item_index;
