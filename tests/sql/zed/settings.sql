-- The seed's file: eight rules.
SELECT scope, layer, key, value, timestamp_utc, timestamp_basis
FROM zed_permissions('$F/zed/seed') WHERE kind = 'setting';

-- Z25: one row per rule; lists give one row an entry, strings and booleans are plain text.
SELECT tool_name, key, value, source_pointer FROM zed_permissions('$F/zed/settings') WHERE kind = 'setting';

-- What is no rule is not read: no credential, no environment, no address.
SELECT count(*) FROM zed_permissions('$F/zed/settings')
WHERE key || value || coalesce(layer, '') || coalesce(source_record, '') LIKE '%SECRET%' OR key LIKE '%context_servers%';

-- Z26: every layer, both files. The backup and the project's file are none.
SELECT scope, layer, key, value, timestamp_utc, source_path
FROM zed_permissions('$F/zed/settings-layers') WHERE kind = 'setting';

-- Z27: odd files: read with byte order mark and comments; no rows; no rows; an error; an error that names the place.
SELECT key, value, source_path, error FROM zed_permissions('$F/zed/settings-odd/*');

-- A rowid per entry of a list.
SELECT count(*) = count(DISTINCT rowid) AS is_unique FROM zed_permissions('$F/zed/settings');

-- A rule belongs to no session.
SELECT count(*) FROM zed_permissions('$F/zed/settings') WHERE session_id = 'x';
