-- Every good message reads, in order; what does not is one row each.
SELECT session_id, message_index, item_index, kind, text, raw, error FROM cody_messages('$F/cody/damage');

-- The chats: null is none, a string is one with an error, one without interactions has none.
SELECT session_id, title, interaction_count, message_count, source_record, error FROM cody_chats('$F/cody/damage');

-- The same by key.
SELECT session_id, message_index, kind, text, raw, error FROM cody_messages('$F/cody/damage')
WHERE session_id IN ('Mon, 20 Oct 2025 09:05:00 GMT', 'Mon, 20 Oct 2025 09:01:00 GMT', 'Mon, 20 Oct 2025 09:07:00 GMT');
