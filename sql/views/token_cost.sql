-- token_cost: what each session cost, with your own price list.
--
-- Prices are yours: no list of ours would be right for long. Make the table first, in US dollars per million tokens:
--   CREATE TEMP TABLE model_prices(
--     provider TEXT, model TEXT, input REAL, output REAL, cache_write REAL, cache_read REAL);
--   INSERT INTO model_prices VALUES ('anthropic', 'claude-sonnet-4-5', 3, 15, 3.75, 0.3);
-- Nothing is counted twice (is_best). Zed keeps one model per thread, so a thread that switched is priced by its
-- last one. `usd` is NULL where the list has no price for the model.
CREATE TEMP VIEW token_cost AS
SELECT
  u.agent,
  u.session_id,
  u.provider,
  u.model,
  u.project_path,
  u.timestamp_utc,
  sum(u.input_tokens) AS input_tokens,
  sum(u.output_tokens) AS output_tokens,
  sum(u.cache_creation_input_tokens) AS cache_creation_input_tokens,
  sum(u.cache_read_input_tokens) AS cache_read_input_tokens,
  sum(u.total_tokens) AS total_tokens,
  round(sum(
    u.input_tokens * p.input + u.output_tokens * p.output
    + u.cache_creation_input_tokens * p.cache_write + u.cache_read_input_tokens * p.cache_read
  ) / 1e6, 6) AS usd,
  u.source_path
FROM agent_token_usage AS u
LEFT JOIN model_prices AS p ON p.model = u.model AND (p.provider IS NULL OR p.provider = u.provider)
WHERE u.is_best = 1
GROUP BY u.source_path, u.agent, u.session_id;
