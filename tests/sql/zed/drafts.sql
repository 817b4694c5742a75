-- The seed's drafts: one in a thread, one in the panel.
SELECT channel, thread_id, session_id, text, project_path, timestamp_utc, timestamp_basis, source_pointer
FROM zed_drafts('$F/zed/seed');

-- In threads: a draft, documents that cannot be read, a draft of another shape.
SELECT session_id, text, timestamp_utc, timestamp_basis, raw, error FROM zed_drafts('$F/zed/timeline');

-- By the thread.
SELECT text FROM zed_drafts('$F/zed/seed') WHERE session_id = '6f1c0b2e-3333-4bbb-8ccc-000000000003';

-- Z31: blocks are joined by newlines; a draft without its entry has the file's time; what is no prompt is an error.
SELECT channel, thread_id, session_id, text, project_path, timestamp_utc, timestamp_basis, source_record, error
FROM zed_drafts('$F/zed/drafts');

-- As stored, readable too.
SELECT source_record, source_pointer, raw FROM zed_drafts('$F/zed/drafts') WHERE thread_id IS NULL OR error IS NOT NULL;

-- Found by what was written.
SELECT thread_id FROM zed_drafts('$F/zed/drafts') WHERE text LIKE '%flag%';
