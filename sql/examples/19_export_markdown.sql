-- 19. Export one thread as Markdown. sql/export_markdown.sql also writes thinking, tool calls and results.
SELECT group_concat(part, char(10) || char(10)) AS markdown
FROM (
  SELECT
    CASE turn_type WHEN 'user' THEN '## User' ELSE '## Assistant' END || char(10) || char(10) || text AS part
  FROM agent_messages
  WHERE session_id = 'b5a0c0de-0000-4000-8000-000000000001'
    AND turn_type IN ('user', 'assistant') AND kind = 'text'
  ORDER BY message_index, item_index
);
