-- The seed's draft in the panel.
SELECT channel, thread_id, session_id, text, project_path, timestamp_utc, timestamp_basis FROM zed_drafts('$F/zed/seed')
WHERE channel IS NOT NULL;

-- Blocks are joined by newlines; a draft without its entry has the file's time; what is no prompt is an error.
SELECT channel, thread_id, session_id, text, project_path, timestamp_utc, timestamp_basis, source_record, error
FROM zed_drafts('$F/zed/drafts');

-- As stored, readable too.
SELECT source_record, source_pointer, raw FROM zed_drafts('$F/zed/drafts') WHERE thread_id IS NULL OR error IS NOT NULL;

-- Found by what was written.
SELECT thread_id FROM zed_drafts('$F/zed/drafts') WHERE text LIKE '%flag%';
