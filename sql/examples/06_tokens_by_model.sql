-- 6. Tokens by provider and model, my own keys included, without counting anything twice.
SELECT
  provider,
  model,
  count(DISTINCT session_id) AS sessions,
  sum(input_tokens) AS input,
  sum(output_tokens) AS output,
  sum(cache_creation_input_tokens) AS cache_write,
  sum(cache_read_input_tokens) AS cache_read,
  sum(total_tokens) AS total
FROM agent_token_usage
WHERE is_best = 1
GROUP BY provider, model
ORDER BY total DESC;
