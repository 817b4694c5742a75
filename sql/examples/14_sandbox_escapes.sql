-- 14. Which threads had sandbox escapes or network to any host?
SELECT p.session_id, t.title, p.key, p.value, p.timestamp_utc
FROM zed_permissions AS p
LEFT JOIN zed_threads AS t ON t.session_id = p.session_id
WHERE p.kind = 'grant'
  AND p.key IN (
    'sandbox_grants.unsandboxed', 'sandbox_grants.sandbox_fallback', 'sandbox_grants.network_any_host',
    'sandbox_grants.allow_fs_write_all', 'sandbox_grants.network_hosts')
ORDER BY p.timestamp_utc, p.key;
