-- Every built-in tool in the form of every era: what it is about.
SELECT session_id, message_index, item_index, tool_use_id, tool_name, command, cwd, path
FROM zed_tool_calls('$F/zed/tools');

-- How each call ended, and what tells.
SELECT session_id, tool_use_id, tool_name, status, status_basis, exit_code, child_session_id
FROM zed_tool_calls('$F/zed/tools');

-- What went in and came out.
SELECT session_id, tool_use_id, arguments, arguments_complete, result, output FROM zed_tool_calls('$F/zed/tools');

-- Z03: results of 0.1.0 stand in the next user message, or were folded into the call's own: one row, the call's place.
SELECT session_id, message_index, item_index, tool_name, path, result, status, status_basis, source_pointer
FROM zed_tool_calls('$F/zed/tool-cases') WHERE session_id IN ('carrier', 'folded');

-- Z07: input of every era.
SELECT tool_name, arguments, arguments_complete, command, cwd, path, status, error
FROM zed_tool_calls('$F/zed/tool-cases') WHERE session_id = 'inputs';

-- Z08: content and output of every era; output is JSON text always.
SELECT tool_use_id, result, output, output IS NULL OR json_valid(output) AS is_json
FROM zed_tool_calls('$F/zed/tool-cases') WHERE session_id = 'contents';

-- Z09: ids repeat: pairs inside one message only. A result alone is a row; the last message's open call is pending.
SELECT session_id, message_index, tool_use_id, tool_name, arguments, command, result, status, status_basis, exit_code, source_pointer
FROM zed_tool_calls('$F/zed/tool-cases') WHERE session_id IN ('repeated', 'alone');

-- A bound on the messages changes no answer.
SELECT message_index, command, result, status FROM zed_tool_calls('$F/zed/tool-cases')
WHERE session_id = 'repeated' AND message_index BETWEEN 3 AND 4;
SELECT message_index, result, status FROM zed_tool_calls('$F/zed/tool-cases') WHERE session_id = 'carrier' AND message_index = 1;
SELECT count(*) FROM zed_tool_calls('$F/zed/tool-cases') WHERE session_id = 'carrier' AND message_index = 2;

SELECT message_index, result, status, model FROM zed_tool_calls('$F/zed/tool-cases')
WHERE session_id = 'repeated' AND message_index = 4;

-- Behind an open call something cannot be read: whether it was the last is unknown.
SELECT message_index, command, status, error FROM zed_tool_calls('$F/zed/tool-cases') WHERE session_id = 'cut-text';

-- Z33: exit codes are English: only the sentence about this very command counts.
SELECT tool_name, command, exit_code, status, status_basis
FROM zed_tool_calls('$F/zed/tool-cases') WHERE session_id = 'exit-codes';

-- Z34: refusals are whole sentences of errors.
SELECT tool_use_id, tool_name, status, status_basis, decision, decision_reason
FROM zed_tool_calls('$F/zed/tool-cases') WHERE session_id = 'denials';

-- What is of an odd type costs its own row, a cut frame its own thread.
SELECT session_id, message_index, item_index, tool_name, arguments, status, error
FROM zed_tool_calls('$F/zed/tool-cases') WHERE session_id IN ('odd', 'cut');

-- Z42: keys that SQL takes for one another.
SELECT session_id FROM zed_tool_calls('$F/zed/tool-cases') WHERE session_id = 5;
SELECT session_id FROM zed_tool_calls('$F/zed/tool-cases') WHERE session_id IN ('5.0', 'a%b', 'it''s', 'nowhere', NULL);
SELECT count(*) FROM zed_tool_calls('$F/zed/tool-cases') WHERE session_id = NULL;
SELECT session_id FROM zed_tool_calls('$F/zed/tool-cases') WHERE session_id = 'aBc' COLLATE NOCASE;

-- What every row of a thread shares.
SELECT DISTINCT agent, session_id, timestamp_utc, timestamp_basis, project_path, model, source_record
FROM zed_tool_calls('$F/zed/tools');

-- The rows are those of all agents; a rowid is one row's, under every plan.
SELECT count(*) FROM agent_tool_calls('$F/zed/tools') WHERE agent = 'zed';
SELECT count(*), count(DISTINCT rowid) FROM zed_tool_calls('$F/zed/tools');
SELECT count(*) FROM zed_tool_calls('$F/zed/tools') a JOIN zed_tool_calls('$F/zed/tools') b ON b.rowid = a.rowid AND b.tool_use_id = a.tool_use_id;

-- Nothing is built that is not asked for; keys and bounds reach the scan.
EXPLAIN QUERY PLAN SELECT status FROM zed_tool_calls WHERE session_id = 'x' AND message_index > 3;
