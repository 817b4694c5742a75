-- Files that hold no value give none; what an interrupted save left doubles nothing.
SELECT product, message_index, text, error FROM cody_messages('$F/cody/files');

SELECT product, title, error FROM cody_chats('$F/cody/files');

SELECT product, model, error FROM cody_model_prefs('$F/cody/files');

SELECT kind, replace(path, '$F', ''), status, hint FROM agent_sources('$F/cody/files') WHERE agent = 'cody';
