-- One session as Markdown: what was said, thought, called and returned, in order.
--
--   sqlite3 -cmd ".load target/release/libagent_history" "" \
--     ".parameter set :session_id 'b5a0c0de-0000-4000-8000-000000000001'" ".read sql/export_markdown.sql"
--
-- Code stands in fences that are longer than any run of backticks inside, so its bytes are exactly the stored ones.
WITH
  item AS MATERIALIZED (
    SELECT agent, source_path, source_record, message_index, item_index, turn_type, kind, tool_name, is_error, text, uri, error
    FROM agent_messages
    WHERE session_id = :session_id
  ),
  tick(n) AS (SELECT 3 UNION ALL SELECT n + 1 FROM tick WHERE n < 64),
  fenced AS (
    SELECT
      *,
      (SELECT printf('%.*c', min(n), '`') FROM tick WHERE instr(coalesce(text, ''), printf('%.*c', n, '`')) = 0) AS fence
    FROM item
  ),
  block(source_path, source_record, message_index, item_index, part) AS (
    SELECT
      source_path,
      source_record,
      message_index,
      item_index,
      CASE
        WHEN error IS NOT NULL THEN '> **Not readable:** ' || error
        WHEN turn_type = 'user' AND kind = 'text' THEN '## User' || char(10) || char(10) || text
        WHEN turn_type = 'assistant' THEN '## Assistant' || char(10) || char(10) || text
        WHEN kind IN ('mention', 'context') THEN
          coalesce('`' || uri || '`' || char(10) || char(10), '')
          || CASE WHEN text <> '' THEN fence || char(10) || text || char(10) || fence ELSE '' END
        WHEN turn_type = 'thinking' THEN
          '<details><summary>Thinking</summary>' || char(10) || char(10) || coalesce(text, '(encrypted)')
          || char(10) || char(10) || '</details>'
        WHEN turn_type = 'tool_use' THEN
          '**' || coalesce(tool_name, 'tool') || '**' || char(10) || char(10) || fence || 'json' || char(10)
          || coalesce(text, '') || char(10) || fence
        WHEN turn_type = 'tool_result' THEN
          CASE WHEN is_error THEN '*Failed:*' ELSE '*Result:*' END || char(10) || char(10) || fence || char(10)
          || coalesce(text, '') || char(10) || fence
        ELSE '*' || kind || coalesce(':* ' || text, '*')
      END
    FROM fenced
    ORDER BY agent, source_path, source_record, message_index IS NULL, message_index, item_index
  ),
  heading AS (
    SELECT
      '# ' || coalesce(title, '(untitled)') || char(10) || char(10)
      || '- Session: `' || session_id || '` (' || agent || ')' || char(10)
      || coalesce('- Project: `' || project_path || '`' || char(10), '')
      || coalesce('- Model: ' || model || char(10), '')
      || coalesce('- Last saved: ' || updated_at || char(10), '') AS text
    FROM agent_sessions
    WHERE session_id = :session_id
    LIMIT 1
  )
SELECT
  coalesce((SELECT text FROM heading) || char(10), '')
  || (SELECT group_concat(part, char(10) || char(10)) FROM block WHERE part <> '') || char(10) AS markdown;
