-- A plan names the constraints that reach the scan, then the columns that it will read.
EXPLAIN QUERY PLAN SELECT text FROM zed_messages WHERE session_id = 'a';

-- A list of keys is one scan.
EXPLAIN QUERY PLAN SELECT text FROM zed_messages WHERE session_id IN ('a', 'b');

-- A range of times.
EXPLAIN QUERY PLAN SELECT text FROM agent_messages WHERE timestamp_utc >= '2026-07-20' AND timestamp_utc < '2026-07-21';

-- Words are looked for before they are decoded.
EXPLAIN QUERY PLAN SELECT session_id FROM agent_messages WHERE text LIKE '%parser%';

-- One agent.
EXPLAIN QUERY PLAN SELECT text FROM agent_messages WHERE agent = 'cody';

-- A row by its identity.
EXPLAIN QUERY PLAN SELECT text FROM zed_messages WHERE rowid = 7;

-- root alone reads everything below it; columns that nobody asks for are not read.
EXPLAIN QUERY PLAN SELECT count(*) FROM zed_messages('/home/ana');

-- A join asks the table with the key once per row of the other.
EXPLAIN QUERY PLAN
SELECT s.title, m.text FROM agent_sessions AS s JOIN agent_messages AS m USING (agent, session_id);

-- A collation that is not binary cannot be pushed down.
EXPLAIN QUERY PLAN SELECT text FROM zed_messages WHERE session_id = 'a' COLLATE NOCASE;

-- An order that the store keeps needs no sorting, one that it does not keep does.
EXPLAIN QUERY PLAN SELECT session_id FROM agent_sessions ORDER BY updated_at DESC LIMIT 10;
EXPLAIN QUERY PLAN SELECT session_id FROM agent_sessions ORDER BY title;
