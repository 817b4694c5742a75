-- 26. Which model answered, and when did it switch inside a chat?
SELECT agent, session_id, message_index, event, previous_model, model
FROM agent_models
WHERE event IN ('used', 'changed')
ORDER BY agent, session_id, message_index;
