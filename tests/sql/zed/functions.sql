-- Z37: a store that somebody attached: every generation's document is JSON.
ATTACH '$F/zed/documents/.local/share/zed/threads/threads.db' AS zed;
SELECT id, json_valid(zed_document(data, data_type)) AS is_json, json_extract(zed_document(data, data_type), '$.version') AS version
FROM zed.threads;

-- What is no document is NULL, and costs no other.
ATTACH '$F/zed/damage/.local/share/zed/threads/threads.db' AS damage;
SELECT count(*), count(zed_document(data, data_type)) FROM damage.threads;
SELECT zed_document(NULL, 'zstd'), zed_document(x'00', 'zstd'), zed_document('{"a": 1}', 'json'), zed_document(7, 'json');

-- Z37: a text inside a compressed document is found.
SELECT session_id, message_index FROM zed_messages('$F/zed/documents') WHERE text LIKE '%cargo bench%';
