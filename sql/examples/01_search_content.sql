-- 1. Search all my threads by content and show the words around the hit.
SELECT
  agent,
  session_id,
  message_index,
  turn_type,
  '…' || substr(text, max(1, instr(lower(text), 'dots') - 30), 70) || '…' AS around
FROM agent_messages
WHERE text LIKE '%dots%'
ORDER BY agent, session_id, message_index, item_index;
