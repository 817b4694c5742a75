-- The version is three numbers.
SELECT agent_history_version() GLOB '[0-9]*.[0-9]*.[0-9]*' AS is_version;

-- A setting that is none is named, with those that there are.
SELECT agent_history_config('colour');
