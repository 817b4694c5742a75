-- Copies the history into ordinary tables of the database that is open, and keeps the copy up to date.
--
--   sqlite3 -bail history.db ".load target/release/libagent_history" ".read sql/materialize.sql"
--
-- Run it again whenever you like: only sessions that changed since are read and rewritten; the last statement says
-- how many. Everything happens in one transaction, so an interrupted run leaves the state before it. A session that
-- is no longer in any store is kept, and says since when it is missing. `id` is the identity of the row it was
-- copied from: SELECT * FROM agent_messages WHERE rowid = id.
--
-- Full-text search: SELECT m.* FROM messages_search('retries') AS s JOIN messages AS m ON m.id = s.rowid ORDER BY s.rank;

BEGIN IMMEDIATE;

-- `version` tells whether a session changed: its last save and its size, as the store has them.
CREATE TABLE IF NOT EXISTS sessions(
  agent TEXT NOT NULL,
  source_path TEXT NOT NULL,
  session_id TEXT NOT NULL,
  parent_session_id TEXT,
  title TEXT,
  project_path TEXT,
  created_at TEXT,
  updated_at TEXT,
  model TEXT,
  message_count INTEGER,
  version TEXT NOT NULL,
  copied_at TEXT NOT NULL,
  missing_since TEXT,
  PRIMARY KEY (agent, source_path, session_id)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS sessions_updated_at ON sessions(updated_at);

CREATE TABLE IF NOT EXISTS messages(
  id INTEGER PRIMARY KEY,
  agent TEXT NOT NULL,
  source_path TEXT NOT NULL,
  session_id TEXT NOT NULL,
  message_index INTEGER,
  item_index INTEGER,
  turn_type TEXT,
  kind TEXT,
  is_synthetic INTEGER,
  timestamp_utc TEXT,
  timestamp_basis TEXT,
  project_path TEXT,
  git_branch TEXT,
  model TEXT,
  tool_name TEXT,
  tool_use_id TEXT,
  is_error INTEGER,
  text TEXT,
  uri TEXT,
  error TEXT
);
CREATE INDEX IF NOT EXISTS messages_session ON messages(agent, source_path, session_id, message_index, item_index);

CREATE TABLE IF NOT EXISTS tool_calls(
  id INTEGER PRIMARY KEY,
  agent TEXT NOT NULL,
  source_path TEXT NOT NULL,
  session_id TEXT NOT NULL,
  message_index INTEGER,
  item_index INTEGER,
  tool_use_id TEXT,
  tool_name TEXT,
  arguments TEXT,
  command TEXT,
  cwd TEXT,
  path TEXT,
  result TEXT,
  status TEXT,
  status_basis TEXT,
  exit_code INTEGER,
  decision TEXT,
  child_session_id TEXT,
  timestamp_utc TEXT,
  project_path TEXT,
  model TEXT,
  error TEXT
);
CREATE INDEX IF NOT EXISTS tool_calls_session ON tool_calls(agent, source_path, session_id);
CREATE INDEX IF NOT EXISTS tool_calls_command ON tool_calls(command) WHERE command IS NOT NULL;

CREATE TABLE IF NOT EXISTS edits(
  id INTEGER PRIMARY KEY,
  agent TEXT NOT NULL,
  source_path TEXT NOT NULL,
  session_id TEXT NOT NULL,
  message_index INTEGER,
  item_index INTEGER,
  tool_use_id TEXT,
  path TEXT,
  absolute_path TEXT,
  operation TEXT,
  destination_path TEXT,
  old_text TEXT,
  new_text TEXT,
  diff TEXT,
  status TEXT,
  basis TEXT,
  timestamp_utc TEXT,
  project_path TEXT,
  error TEXT
);
CREATE INDEX IF NOT EXISTS edits_session ON edits(agent, source_path, session_id);
CREATE INDEX IF NOT EXISTS edits_path ON edits(absolute_path);

CREATE TABLE IF NOT EXISTS token_usage(
  id INTEGER PRIMARY KEY,
  agent TEXT NOT NULL,
  source_path TEXT NOT NULL,
  session_id TEXT NOT NULL,
  basis TEXT,
  input_tokens INTEGER,
  output_tokens INTEGER,
  cache_creation_input_tokens INTEGER,
  cache_read_input_tokens INTEGER,
  total_tokens INTEGER,
  model TEXT,
  provider TEXT,
  is_best INTEGER,
  timestamp_utc TEXT,
  project_path TEXT,
  error TEXT
);
CREATE INDEX IF NOT EXISTS token_usage_session ON token_usage(agent, source_path, session_id);

CREATE VIRTUAL TABLE IF NOT EXISTS messages_search USING fts5(text, content='messages', content_rowid='id');
CREATE TRIGGER IF NOT EXISTS messages_search_insert AFTER INSERT ON messages BEGIN
  INSERT INTO messages_search(rowid, text) VALUES (new.id, new.text);
END;
CREATE TRIGGER IF NOT EXISTS messages_search_delete AFTER DELETE ON messages BEGIN
  INSERT INTO messages_search(messages_search, rowid, text) VALUES ('delete', old.id, old.text);
END;

-- What the stores hold now. One id can stand under several accounts of one file: they change together.
DROP TABLE IF EXISTS temp.history_now;
CREATE TEMP TABLE history_now AS
SELECT
  agent, source_path, session_id,
  max(parent_session_id) AS parent_session_id, max(title) AS title, max(project_path) AS project_path,
  min(created_at) AS created_at, max(updated_at) AS updated_at, max(model) AS model,
  sum(message_count) AS message_count, group_concat(version, ' ') AS version
FROM (
  SELECT
    'zed' AS agent, source_path, session_id, parent_session_id, title, project_path, created_at, updated_at,
    NULL AS model, NULL AS message_count, coalesce(updated_at, '') || '/' || coalesce(blob_bytes, '') AS version
  FROM zed_threads
  UNION ALL
  SELECT
    'cody', source_path, session_id, NULL, title, project_path, created_at, created_at,
    json_extract(models, '$[#-1]'), message_count,
    coalesce(created_at, '') || '/' || coalesce(bytes, '') || '/' || coalesce(message_count, '')
  FROM cody_chats
)
WHERE session_id IS NOT NULL
GROUP BY agent, source_path, session_id;

DROP TABLE IF EXISTS temp.history_changed;
CREATE TEMP TABLE history_changed AS
SELECT now.*
FROM history_now AS now
LEFT JOIN sessions AS s USING (agent, source_path, session_id)
WHERE s.version IS NOT now.version;

UPDATE sessions
SET missing_since = CASE
  WHEN EXISTS (
    SELECT 1 FROM history_now AS now
    WHERE now.agent = sessions.agent AND now.source_path = sessions.source_path
      AND now.session_id = sessions.session_id
  ) THEN NULL
  ELSE coalesce(missing_since, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
END;

DELETE FROM messages
WHERE (agent, source_path, session_id) IN (SELECT agent, source_path, session_id FROM history_changed);
DELETE FROM tool_calls
WHERE (agent, source_path, session_id) IN (SELECT agent, source_path, session_id FROM history_changed);
DELETE FROM edits
WHERE (agent, source_path, session_id) IN (SELECT agent, source_path, session_id FROM history_changed);
DELETE FROM token_usage
WHERE (agent, source_path, session_id) IN (SELECT agent, source_path, session_id FROM history_changed);

INSERT OR REPLACE INTO sessions
SELECT
  agent, source_path, session_id, parent_session_id, title, project_path, created_at, updated_at, model,
  message_count, version, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'), NULL
FROM history_changed;

INSERT INTO messages
SELECT
  m.rowid, m.agent, m.source_path, m.session_id, m.message_index, m.item_index, m.turn_type, m.kind, m.is_synthetic,
  m.timestamp_utc, m.timestamp_basis, m.project_path, m.git_branch, m.model, m.tool_name, m.tool_use_id,
  m.is_error, m.text, m.uri, m.error
FROM history_changed AS c
CROSS JOIN agent_messages AS m ON m.agent = c.agent AND m.session_id = c.session_id AND m.source_path = c.source_path;

INSERT INTO tool_calls
SELECT
  t.rowid, t.agent, t.source_path, t.session_id, t.message_index, t.item_index, t.tool_use_id, t.tool_name,
  t.arguments, t.command, t.cwd, t.path, t.result, t.status, t.status_basis, t.exit_code, t.decision,
  t.child_session_id, t.timestamp_utc, t.project_path, t.model, t.error
FROM history_changed AS c
CROSS JOIN agent_tool_calls AS t
  ON t.agent = c.agent AND t.session_id = c.session_id AND t.source_path = c.source_path;

INSERT INTO edits
SELECT
  e.rowid, e.agent, e.source_path, e.session_id, e.message_index, e.item_index, e.tool_use_id, e.path,
  e.absolute_path, e.operation, e.destination_path, e.old_text, e.new_text, e.diff, e.status, e.basis,
  e.timestamp_utc, e.project_path, e.error
FROM history_changed AS c
CROSS JOIN agent_edits AS e ON e.agent = c.agent AND e.session_id = c.session_id AND e.source_path = c.source_path;

INSERT INTO token_usage
SELECT
  u.rowid, u.agent, u.source_path, u.session_id, u.basis, u.input_tokens, u.output_tokens,
  u.cache_creation_input_tokens, u.cache_read_input_tokens, u.total_tokens, u.model, u.provider, u.is_best,
  u.timestamp_utc, u.project_path, u.error
FROM history_changed AS c
CROSS JOIN agent_token_usage AS u
  ON u.agent = c.agent AND u.session_id = c.session_id AND u.source_path = c.source_path;

-- Zed's model and message count stand inside the documents: they come with the copy.
UPDATE sessions
SET
  model = (
    SELECT m.model FROM messages AS m
    WHERE m.agent = sessions.agent AND m.source_path = sessions.source_path AND m.session_id = sessions.session_id
      AND m.model IS NOT NULL
    LIMIT 1),
  message_count = (
    SELECT count(DISTINCT m.message_index) FROM messages AS m
    WHERE m.agent = sessions.agent AND m.source_path = sessions.source_path AND m.session_id = sessions.session_id)
WHERE agent = 'zed'
  AND (agent, source_path, session_id) IN (SELECT agent, source_path, session_id FROM history_changed);

COMMIT;

SELECT
  (SELECT count(*) FROM history_changed) AS sessions_rewritten,
  (SELECT count(*) FROM sessions) AS sessions,
  (SELECT count(*) FROM sessions WHERE missing_since IS NOT NULL) AS sessions_missing,
  (SELECT count(*) FROM messages) AS messages;
