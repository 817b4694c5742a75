-- The seed's stores.
SELECT agent, kind, path, status, bytes > 0 AS has_bytes, modified_at, journal, format, records, errors, hint, error
FROM agent_sources('$F/zed/seed') WHERE agent = 'zed';

-- No database, a file of zeros, a sound one.
SELECT kind, path, status, records, errors, hint, error FROM agent_sources('$F/zed/no-store') WHERE agent = 'zed';

-- Zero bytes are an empty database.
SELECT kind, path, status, bytes, records, errors, error FROM agent_sources('$F/zed/zero-bytes') WHERE agent = 'zed';

-- Every channel's panel.
SELECT path, status, journal, format, records, errors FROM agent_sources('$F/zed/sidebar') WHERE agent = 'zed';

-- A log beside the file; records that do not decode.
SELECT path, status, journal, records, errors FROM agent_sources('$F/zed/sidebar-wal') WHERE agent = 'zed'
UNION ALL
SELECT path, status, journal, records, errors FROM agent_sources('$F/zed/drafts') WHERE agent = 'zed'
UNION ALL
SELECT path, status, journal, records, errors FROM agent_sources('$F/zed/worktrees') WHERE agent = 'zed';

-- Known and not read.
SELECT kind, path, status, bytes, format, hint FROM agent_sources('$F/zed/other-stores') WHERE agent = 'zed';

-- Settings: rules are records; a file that says nothing is empty.
SELECT kind, path, status, records, error FROM agent_sources('$F/zed/settings-odd/*') WHERE agent = 'zed';

-- Nothing of Zed: where was looked, and for what.
SELECT agent, kind, path, status, hint, root FROM agent_sources('$F/cody/seed') WHERE agent = 'zed';

-- What is not asked for is not counted.
SELECT group_concat(status) FROM agent_sources('$F/zed/seed') WHERE agent = 'zed';

-- Damaged tables are counted as errors of a store that answers.
SELECT path, status, records, errors, error FROM agent_sources('$F/zed/panel-odd') WHERE agent = 'zed';
