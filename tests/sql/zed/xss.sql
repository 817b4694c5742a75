-- What would run in a browser is text as any other, to the byte. That no page takes it for markup: python/tests.
SELECT session_id, title, project_path FROM agent_sessions('$F/zed/xss');
SELECT message_index, item_index, turn_type, tool_name, uri, text FROM zed_messages('$F/zed/xss');
