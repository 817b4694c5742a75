-- 5. What did this thread cost, with my own price table (US dollars per million tokens)?
WITH price(model, input, output, cache_write, cache_read) AS (
  VALUES ('claude-sonnet-4-5', 3.00, 15.00, 3.75, 0.30), ('claude-haiku-4-5', 1.00, 5.00, 1.25, 0.10)
)
SELECT
  u.session_id,
  u.model,
  sum(u.total_tokens) AS tokens,
  round(sum(
    u.input_tokens * p.input + u.output_tokens * p.output
    + u.cache_creation_input_tokens * p.cache_write + u.cache_read_input_tokens * p.cache_read
  ) / 1e6, 4) AS usd
FROM agent_token_usage AS u
LEFT JOIN price AS p ON p.model = u.model
WHERE u.is_best = 1 AND u.session_id = 'b5a0c0de-0000-4000-8000-000000000001'
GROUP BY u.session_id, u.model;
