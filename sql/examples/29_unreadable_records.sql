-- 29. Which records could not be read, and why?
SELECT DISTINCT agent, session_id, source_record, source_pointer, error
FROM agent_errors
ORDER BY agent, source_record, source_pointer;
