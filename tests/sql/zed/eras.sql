-- The table of every era, each as the Zed of that day left it: what its era did not know is NULL.
SELECT session_id, parent_session_id, depth, title, created_at, updated_at, project_path, folders, data_type, source_path
FROM zed_threads('$F/zed/eras/*');
SELECT session_id, message_index, text, project_path, timestamp_utc, error FROM zed_messages('$F/zed/eras/*');

-- The era shows in the columns.
SELECT path, format, records, errors FROM agent_sources('$F/zed/eras/*') WHERE agent = 'zed';

-- A frame that ends behind its header costs its document, not its thread.
SELECT session_id, title, project_path, folder_paths_order, blob_bytes, document_bytes, error
FROM zed_threads('$F/zed/eras/e-march-2026') WHERE session_id LIKE 'b5a0%';
