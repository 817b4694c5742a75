-- The sound store over which logs and journals lie: fuzz targets and their seeds build it.
PRAGMA page_size = 512;
CREATE TABLE t(a, b);
WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60) INSERT INTO t SELECT i, hex(zeroblob(i)) FROM n;
