-- permission_audit: each command that ran, with every standing rule that lets commands like it run.
--
-- A Zed rule is a regular expression over the command, matched here with regexp() whose dialect is the host's; a rule
-- without case_sensitive is tried on the command as it is and in lower case. A Cody rule is a prefix. A command
-- without a rule has NULLs: it was allowed by hand, by the default mode, or before the rule was written. Rules show what holds
-- now (the settings file's time), not what held then.
CREATE TEMP VIEW permission_audit AS
WITH
  rule AS MATERIALIZED (
    SELECT
      agent,
      coalesce(layer || '.', '') || key AS key,
      scope,
      layer,
      CASE WHEN json_valid(value) THEN coalesce(json_extract(value, '$.pattern'), value) ELSE value END AS pattern,
      CASE WHEN json_valid(value) THEN coalesce(json_extract(value, '$.case_sensitive'), 0) ELSE 1 END
        AS is_case_sensitive,
      source_path
    FROM agent_permissions
    WHERE kind = 'setting'
      AND (key LIKE '%.tools.terminal.always_allow' OR key LIKE '%.experimentalOptions.shell.allow')
  )
SELECT
  c.timestamp_utc,
  c.agent,
  c.project_path,
  c.command,
  c.status,
  r.key AS rule_key,
  r.pattern AS rule_pattern,
  r.scope AS rule_scope,
  r.source_path AS rule_source_path,
  c.session_id,
  c.message_index,
  c.tool_use_id
FROM agent_tool_calls AS c
LEFT JOIN rule AS r
  ON r.agent = c.agent
  AND CASE c.agent
    WHEN 'zed' THEN
      regexp(r.pattern, c.command) OR (NOT r.is_case_sensitive AND regexp(r.pattern, lower(c.command)))
    ELSE substr(c.command, 1, length(r.pattern)) = r.pattern
  END
WHERE c.command IS NOT NULL AND c.status NOT IN ('denied', 'auto_denied');
