-- 10. What did agents change in this file, in order, with old and new text?
SELECT timestamp_utc, agent, session_id, operation, status, basis, old_text, new_text, diff
FROM agent_edits
WHERE absolute_path = '/home/ana/api/src/login.rs' OR path LIKE '%src/login.rs'
ORDER BY timestamp_utc, session_id, message_index, item_index;
