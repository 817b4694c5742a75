-- A home directory.
SELECT agent, kind, path FROM agent_sources('$F/zed/seed');

-- A store file itself.
SELECT agent, kind, path FROM agent_sources('$F/zed/seed/.local/share/zed/threads/threads.db');

-- A folder that holds stores.
SELECT agent, kind, path FROM agent_sources('$F/zed/seed/.local/share/zed');

-- S06: many homes at once.
SELECT agent, kind, path FROM agent_sources('$F/*/seed') WHERE status <> 'empty';

-- S05: a root that is not there is an error that names it.
SELECT agent, kind, path FROM agent_sources('$F/zed/seed/nobody');

-- A settings file is JSON with comments to every agent that keeps one.
SELECT agent, kind, status, path FROM agent_sources('$F/zed/seed/.config/zed/settings.json');
SELECT count(*), count(DISTINCT rowid) FROM agent_sources('$F/zed/seed/.config/zed/settings.json');

-- S06, S07: root is an argument, a hidden column, or given when a table is created; it echoes byte for byte.
SELECT count(*), min(root) FROM agent_sources WHERE root = '$F/zed/./seed';
CREATE VIRTUAL TABLE temp.ana USING agent_sources(root = '$F/demo/home');
SELECT agent, kind, bytes IS NOT NULL AS has_bytes, modified_at FROM ana;

-- NULL equals nothing, here as everywhere in SQL.
SELECT count(*) FROM agent_sources(NULL);
