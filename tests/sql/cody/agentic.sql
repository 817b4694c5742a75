-- Agentic runs, Deep Cody's steps, and every other part.
SELECT message_index || '.' || item_index AS at, turn_type, kind, is_synthetic, tool_name, tool_use_id, text, uri, error, source_pointer
FROM cody_messages('$F/cody/agentic');

-- Tool outputs a second time, as attachments.
SELECT message_index, item_index, "where", type, source, path, title, content FROM cody_context('$F/cody/agentic');

-- The folder of a chat whose files only a tool named, the first prompt that somebody typed.
SELECT title, message_count, first_prompt, project_path FROM cody_chats('$F/cody/agentic');
