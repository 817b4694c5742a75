-- Z05, Z06: mentions are URIs, whatever variant; an unknown one keeps its row and is told.
SELECT item_index, kind, uri, text, error FROM zed_messages('$F/zed/items') WHERE session_id = 'mentions';

-- Z07, Z08: arguments in any wrapper, results in any form.
SELECT item_index, kind, tool_name, tool_use_id, is_error, text, source_pointer, error FROM zed_messages('$F/zed/items') WHERE session_id = 'tools' AND message_index = 1;

-- Z09: a result without a call.
SELECT message_index, item_index, turn_type, tool_name, tool_use_id, text FROM zed_messages('$F/zed/items') WHERE session_id = 'alone';

-- Z10: NUL and lone surrogates.
SELECT hex(text) FROM zed_messages('$F/zed/items') WHERE session_id = 'escapes';

-- Z11: messages and items of no known kind.
SELECT message_index, item_index, turn_type, kind, is_synthetic, text, raw, source_pointer, error FROM zed_messages('$F/zed/items') WHERE session_id = 'odd';

-- Z12: deep nesting; no list of messages.
SELECT message_index, kind, length(text), source_pointer, error FROM zed_messages('$F/zed/items') WHERE session_id = 'deep';
SELECT session_id, message_index, source_pointer, error FROM zed_messages('$F/zed/items') WHERE session_id IN ('null', 'none', 'object');
SELECT session_id, title, message_count, error FROM zed_threads('$F/zed/items') WHERE session_id IN ('null', 'none', 'object', 'deep');

-- The last of duplicate keys.
SELECT message_id, text, model FROM zed_messages('$F/zed/items') WHERE session_id = 'twice';

-- A LIKE or GLOB that reaches the scan finds what one that does not reach it finds.
WITH p(pattern) AS (VALUES ('%good%'), ('OK7%'), ('%[image]%'), ('%image%'), ('%see%end%'), ('%"path":"api/x"%'), ('%{"command":"ls%'), ('%deep":[[[[%'), ('x_y'), ('%tail %'), ('%é%'), ('%still here%'), ('%nobody said this%'))
SELECT pattern, (SELECT count(*) FROM zed_messages('$F/zed/items') WHERE text LIKE pattern) AS pushed,
  (SELECT count(*) FROM zed_messages('$F/zed/items') WHERE text || '' LIKE pattern) AS checked FROM p;
SELECT count(*) FROM zed_messages('$F/zed/items') WHERE text GLOB '*image*' AND text LIKE '%IMAGE%';
