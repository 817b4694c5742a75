-- Files that hold no value give none; what an interrupted save left doubles nothing.
SELECT product, message_index, text, error FROM cody_messages('$F/cody/files');

SELECT product, title, error FROM cody_chats('$F/cody/files');

-- A preference of the wrong shape is one error row, wherever the shape is wrong; null is none.
SELECT product, endpoint, usage, origin, model, error FROM cody_model_prefs('$F/cody/files');
SELECT product, uri, use_count, error FROM cody_prompts('$F/cody/files');

SELECT kind, replace(path, '$F', ''), status, hint FROM agent_sources('$F/cody/files') WHERE agent = 'cody';
SELECT replace(path, '$F/cody/files/.local/share/Cody-nodejs/', '') AS path, status, records, errors
FROM agent_sources('$F/cody/files') WHERE agent = 'cody' AND format = 'JSON value';

-- Counted only when asked for: chats, and how many do not read in whole.
SELECT replace(path, '$F/cody/', '') AS path, status, format, records, errors FROM agent_sources('$F/cody/damage') WHERE agent = 'cody'
UNION ALL SELECT replace(path, '$F/cody/', ''), status, format, records, errors FROM agent_sources('$F/cody/cut') WHERE agent = 'cody';

-- Editors, their journals, one that never ran Cody, one whose file is no database.
SELECT kind, replace(path, '$F/cody/editors/', '') AS path, status, journal, format, hint, error FROM agent_sources('$F/cody/editors') WHERE agent = 'cody';

-- JSON files that are no exports are not Cody's.
SELECT kind, replace(path, '$F/cody/exports/', '') AS path, status, format FROM agent_sources('$F/cody/exports') WHERE agent = 'cody';

-- Who names a left-over wants to read it.
SELECT session_id, error FROM cody_chats('$F/cody/files/.local/share/Cody-nodejs/e-good-globalState/cody-local-chatHistory-v2.2847361901');
