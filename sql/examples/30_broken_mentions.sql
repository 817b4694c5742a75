-- 30. Which mentions point to threads that no longer exist, or to kinds that Zed has removed?
SELECT
  m.session_id,
  m.message_index,
  m.uri,
  CASE
    WHEN m.uri LIKE 'zed:///agent/thread/%' THEN 'the thread is gone'
    WHEN m.uri LIKE 'zed:///agent/rule/%' THEN 'rules became skills'
    WHEN m.uri LIKE 'zed:///agent/text-thread/%' THEN 'text threads were removed'
  END AS why
FROM zed_messages AS m
WHERE m.kind = 'mention'
  AND (
    m.uri LIKE 'zed:///agent/rule/%'
    OR m.uri LIKE 'zed:///agent/text-thread/%'
    OR (
      m.uri LIKE 'zed:///agent/thread/%'
      AND substr(m.uri, 21, instr(substr(m.uri, 21) || '?', '?') - 1) NOT IN (SELECT session_id FROM zed_threads)
    )
  )
ORDER BY m.session_id, m.message_index, m.item_index;
