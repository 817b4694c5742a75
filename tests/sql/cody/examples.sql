-- One example of everything that Cody's clients write, in every table that it concerns. The chats, in store order.
SELECT account_key, endpoint, username, account_basis, session_id, title, created_at, created_at_basis, interaction_count, message_count, models, project_path, first_prompt, era, product, store, is_secondary, error
FROM cody_chats('$F/cody/examples');

SELECT session_id, message_index, item_index, turn_type, kind, is_synthetic, timestamp_utc, timestamp_basis, model, tool_name, tool_use_id, text, product, error
FROM cody_messages('$F/cody/examples');

SELECT session_id, message_index, item_index, "where", type, source, uri, path, start_line, end_line, title, content, error
FROM cody_context('$F/cody/examples');

-- A state word says done, the text says how the command ended.
SELECT session_id, message_index, item_index, tool_use_id, tool_name, arguments, command, result, status, status_basis, exit_code
FROM cody_tool_calls('$F/cody/examples');

SELECT count(*) FROM cody_edits('$F/cody/examples');

SELECT kind, scope, key, value, project_path, product, store FROM cody_permissions('$F/cody/examples');

SELECT endpoint, usage, origin, model, provider, model_name, era FROM cody_model_prefs('$F/cody/examples');

SELECT kind, text, uri, use_count, repo, timestamp_utc, endpoint, username, product FROM cody_prompts('$F/cody/examples');

-- The stores: the accounts of the plugin, with their headers, are none.
SELECT kind, replace(path, '$F/cody/examples/', '') AS path, status, format, records, errors
FROM agent_sources('$F/cody/examples') WHERE agent = 'cody';

-- The same on the timeline.
SELECT timestamp_utc, session_id, turn_type, model, tool_name, text FROM agent_timeline('$F/cody/examples');
