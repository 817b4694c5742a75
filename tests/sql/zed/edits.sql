-- Every tool that changes files, in the form of every era.
SELECT session_id, message_index, item_index, tool_use_id, tool_name, operation, path, destination_path, status, basis
FROM zed_edits('$F/zed/tools');

-- Texts, diffs, lines.
SELECT session_id, tool_use_id, old_text, new_text, diff, lines_added, lines_removed FROM zed_edits('$F/zed/tools');

-- Where a path leads, and where a row stands.
SELECT session_id, tool_use_id, path, absolute_path, source_pointer FROM zed_edits('$F/zed/tools');

-- Z35: applied, created, overwritten, unchanged, partial, from a diff fence; moves and their like; one without a result.
SELECT tool_use_id, operation, status, basis, path, absolute_path, destination_path, old_text, new_text, diff, lines_added, lines_removed
FROM zed_edits('$F/zed/tool-cases') WHERE session_id = 'edits';

-- Refused and odd calls.
SELECT session_id, tool_use_id, operation, status, basis, path, old_text, new_text, lines_added, error
FROM zed_edits('$F/zed/tool-cases') WHERE session_id IN ('denials', 'odd', 'cut');

-- What every row of a thread shares.
SELECT DISTINCT agent, session_id, timestamp_utc, timestamp_basis, project_path, model, source_record FROM zed_edits('$F/zed/tools');

-- The rows are those of all agents; a rowid is one row's.
SELECT count(*) FROM agent_edits('$F/zed/tools') WHERE agent = 'zed';
SELECT count(*), count(DISTINCT rowid) FROM zed_edits('$F/zed/tools');

-- The lines of all changes that reached a file.
SELECT path, sum(lines_added) AS added, sum(lines_removed) AS removed FROM zed_edits('$F/zed/tools')
WHERE status IN ('applied', 'partial') GROUP BY path ORDER BY added DESC, path LIMIT 5;
