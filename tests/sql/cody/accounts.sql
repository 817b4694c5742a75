-- How a key was split, and what it is when it does not tell.
SELECT account_key, endpoint, username, account_basis FROM cody_chats('$F/cody/accounts');

-- One chat id under all of them: three columns join each to its own message.
SELECT c.account_key, m.text FROM cody_chats('$F/cody/accounts') c JOIN cody_messages('$F/cody/accounts') m
ON m.session_id = c.session_id AND m.account_key = c.account_key AND m.source_path = c.source_path;
