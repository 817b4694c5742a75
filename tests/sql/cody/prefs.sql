-- Every generation of model preferences.
SELECT endpoint, usage, origin, model, provider, model_name, era, timestamp_utc, timestamp_basis, product, store, source_pointer, error
FROM cody_model_prefs('$F/cody/prefs');

-- Uses recorded outside of the chats.
SELECT kind, text, uri, use_count, repo, timestamp_utc, timestamp_basis, endpoint, username, product, store, source_pointer, error
FROM cody_prompts('$F/cody/prefs');
