-- Z15: a store that is none is one row; a zero-byte file is a store without threads; another program's table is told.
SELECT session_id, message_index, error FROM zed_messages('$F/zed/stores/text');
SELECT session_id, error FROM zed_threads('$F/zed/stores/text');
SELECT count(*) FROM zed_messages('$F/zed/stores/empty');
SELECT error FROM zed_messages('$F/zed/stores/other');
SELECT path, status FROM agent_sources('$F/zed/stores/*') WHERE status NOT IN ('ok', 'empty');

-- Z16: one destroyed page. The rows before it and behind it read; one row says that something is missing.
SELECT count(*), count(error), min(session_id), max(session_id), count(text) FROM zed_messages('$F/zed/stores/page');
SELECT message_index, error FROM zed_messages('$F/zed/stores/page') WHERE error IS NOT NULL;

-- Z24: what columns there are differs from file to file.
SELECT session_id, parent_session_id, depth, root_session_id, title, created_at, project_path, git_branch, folder_paths, error FROM zed_threads('$F/zed/stores/five');
SELECT session_id, parent_session_id, depth, root_session_id, title, created_at, project_path, git_branch, folder_paths, error FROM zed_threads('$F/zed/stores/nine');
SELECT session_id, parent_session_id, project_path, git_branch, text FROM zed_messages('$F/zed/stores/five');

-- Z41: a hot journal. The threads as they were before the transaction.
SELECT count(*), count(DISTINCT title), min(title), count(error) FROM zed_threads('$F/zed/stores/journal');
SELECT count(*), sum(text LIKE 'before %') FROM zed_messages('$F/zed/stores/journal');

-- Z42: keys that SQL takes for one another.
SELECT DISTINCT session_id FROM zed_messages('$F/zed/stores/keys') WHERE session_id = 5;
SELECT count(*) FROM zed_messages('$F/zed/stores/keys') WHERE session_id = NULL;
SELECT session_id FROM zed_threads('$F/zed/stores/keys') WHERE session_id = 'aBc' COLLATE NOCASE;
SELECT session_id FROM zed_threads('$F/zed/stores/keys') WHERE session_id IN ('a%b', 'it''s', '5', NULL, 'nobody');
SELECT session_id FROM zed_threads('$F/zed/stores/keys') WHERE session_id = 5.0;

-- Z14: times of every spelling are one; what is none is NULL and costs nothing.
SELECT session_id, updated_at, created_at, error FROM zed_threads('$F/zed/stores/keys') WHERE session_id LIKE 'time-%';
SELECT session_id FROM zed_threads('$F/zed/stores/keys') WHERE updated_at > '2026-03-01T09:01:05.100Z' AND updated_at < '2026-04';
SELECT session_id, timestamp_utc, timestamp_basis, text FROM zed_messages('$F/zed/stores/keys') WHERE session_id = 'time-7';
SELECT session_id FROM zed_threads('$F/zed/stores/keys') WHERE session_id LIKE 'time-%' ORDER BY updated_at DESC;

-- S01, S02: with a key and without; a join with keys that are not there.
SELECT count(*) FROM (SELECT session_id, message_index FROM zed_messages('$F/zed/stores/keys') WHERE session_id = 'abc' OR session_id = 'ABC');
SELECT k.column1, count(m.message_index) FROM (VALUES ('abc'), (NULL), ('nobody'), ('5')) k
LEFT JOIN zed_messages('$F/zed/stores/keys') m ON m.session_id = k.column1 GROUP BY 1;

-- S03: a limit never counts rows that a later filter drops.
SELECT session_id, message_index, item_index, kind FROM zed_messages('$F/zed/documents') ORDER BY session_id, message_index, item_index LIMIT 5 OFFSET 9;
SELECT message_index, item_index, text FROM zed_messages('$F/zed/documents') WHERE session_id = 'b5a0c0de-0000-4000-8000-000000000002' AND turn_type = 'user' AND text LIKE '%i%' LIMIT 2;
SELECT session_id FROM zed_threads('$F/zed/documents') WHERE title LIKE '%old%' ORDER BY updated_at DESC LIMIT 2;
SELECT count(*) FROM zed_messages('$F/zed/documents') WHERE turn_type = 'user';

-- A store file itself, and the folder that holds it.
SELECT count(*) FROM zed_messages('$F/zed/stores/keys/.local/share/zed/threads/threads.db');
SELECT count(*) FROM zed_messages('$F/zed/stores/keys/.local/share/zed/threads');

-- The plans say what is read.
EXPLAIN QUERY PLAN SELECT text FROM zed_messages WHERE session_id = 'abc' AND message_index < 3;
EXPLAIN QUERY PLAN SELECT session_id, title FROM zed_threads WHERE updated_at > '2026' ORDER BY updated_at DESC;
EXPLAIN QUERY PLAN SELECT text FROM zed_messages WHERE session_id IN ('a', 'b') AND text LIKE '%x%' ORDER BY timestamp_utc;
