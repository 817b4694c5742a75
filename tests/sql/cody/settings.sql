-- The seed's file: every entry of a list is a row, a switch is its word.
SELECT scope, key, value, timestamp_utc, timestamp_basis
FROM cody_permissions('$F/cody/seed') WHERE kind = 'setting';

-- Every file, however it nests its keys: the editor's, a profile's, that of a machine that an editor elsewhere works on,
-- a folder's, a workspace's, a JetBrains project's (HOCON), that of projects without a folder, the IDE's.
SELECT scope, key, value, project_path, timestamp_utc, product, store, source_path
FROM cody_permissions('$F/cody/settings') WHERE kind = 'setting';

-- A folder's settings that say nothing about Cody are not Cody's store.
SELECT kind, replace(path, '$F/cody/settings/', '') AS path, status, format, records FROM agent_sources('$F/cody/settings')
WHERE agent = 'cody';

-- A folder as root, and a workspace's file; the editor's own file says which editor's it is.
SELECT key, value, product FROM cody_permissions('$F/cody/settings/.config/Code/User/profiles/2f1a/settings.json');
SELECT key, value, project_path, product FROM cody_permissions('$F/cody/settings/proj/.vscode/settings.json');
SELECT key, value, project_path FROM cody_permissions('$F/cody/settings/proj/.vscode');
SELECT key, value, project_path FROM cody_permissions('$F/cody/settings/all.code-workspace');

-- Where an entry stands.
SELECT value, source_pointer FROM cody_permissions('$F/cody/settings') WHERE scope = 'project';

-- Commands, arguments, environments, addresses, headers and tokens are not read, not even from a broken file.
SELECT (SELECT count(*) FROM cody_permissions('$F/cody/settings') WHERE key || value LIKE '%SECRET%'),
       (SELECT count(*) FROM cody_permissions('$F/cody/settings-odd/*') WHERE coalesce(key || value, error) LIKE '%SECRET%');

-- Odd files: empty and comments alone are no rows, nor is a broken file that does not name a key of Cody's; the others
-- are one error row. Between two fields HOCON wants a comma or a new line; the library that Cody reads it with refuses
-- the one without as well (an object cannot be joined to the text behind it), so that such a file holds no rule.
SELECT key, value, scope, source_path, error FROM cody_permissions('$F/cody/settings-odd/*');

-- A setting belongs to no session.
SELECT count(*) FROM cody_permissions('$F/cody/settings') WHERE session_id = 'x';
