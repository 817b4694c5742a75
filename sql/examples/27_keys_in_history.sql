-- 27. Are there keys or tokens in my history? The patterns are the list in front.
WITH pattern(name, glob) AS (
  VALUES
    ('AWS access key', '*AKIA[0-9A-Z][0-9A-Z][0-9A-Z][0-9A-Z][0-9A-Z][0-9A-Z][0-9A-Z]*'),
    ('GitHub token', '*gh[pousr]_[0-9A-Za-z][0-9A-Za-z][0-9A-Za-z]*'),
    ('Private key', '*-----BEGIN *PRIVATE KEY-----*'),
    ('A word of your own', '*--dry-run*')
)
SELECT p.name, m.agent, m.session_id, m.message_index, m.item_index, m.turn_type, m.source_path
FROM agent_messages AS m
JOIN pattern AS p ON m.text GLOB p.glob
ORDER BY p.name, m.session_id, m.message_index, m.item_index;
