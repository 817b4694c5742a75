-- Z13: a bad blob is one row, with its thread and the stored bytes; rows before a cut stand.
SELECT session_id, message_index, kind, timestamp_utc, raw, source_pointer, error FROM zed_messages('$F/zed/damage') WHERE session_id LIKE 'bad-%';

-- What is read by its shape besides.
SELECT session_id, message_index, text, source_pointer, error FROM zed_messages('$F/zed/damage') WHERE session_id LIKE 'odd-%';

-- A damaged message, a cut, a damaged member; the items in front of the damage stand.
SELECT session_id, message_index, text, raw, source_pointer, error FROM zed_messages('$F/zed/damage') WHERE session_id LIKE 'part-%';
SELECT session_id, message_index, tool_use_id, result, status, status_basis, error FROM zed_tool_calls('$F/zed/damage') WHERE session_id IN ('part-items', 'part-results');
SELECT session_id, model, text FROM zed_messages('$F/zed/damage') WHERE session_id = 'part-member';

-- Nothing is wrong with the others. A key that is stored as bytes is found as text.
SELECT session_id, message_index, text, source_record, error FROM zed_messages('$F/zed/damage') WHERE session_id LIKE 'good-%' OR session_id IS NULL;
SELECT session_id, text FROM zed_messages('$F/zed/damage') WHERE session_id = 'good-blob-id';
SELECT count(*) FROM zed_messages('$F/zed/damage') WHERE session_id = NULL;

-- Every thread is listed. The documents' faults are told only where a document is asked for.
SELECT count(*), count(error) FROM (SELECT title, updated_at, error FROM zed_threads('$F/zed/damage'));
SELECT session_id, message_count, error FROM zed_threads('$F/zed/damage') WHERE error IS NOT NULL;
SELECT session_id, document_bytes, error FROM zed_threads('$F/zed/damage') WHERE session_id IN ('bad-garbage', 'bad-cut-json', 'good-sized');
