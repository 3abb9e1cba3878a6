-- %% `WHERE bad >= 3` for `WHERE bad = 3`: reported by each of its batches
DROP VIEW IF EXISTS alerts_vw;
CREATE TEMP VIEW alerts_vw AS
SELECT name, batch
FROM (
  SELECT name, batch, row_number() OVER (PARTITION BY name, good_before ORDER BY batch) AS bad
  FROM (
    SELECT *, count_if(backlog_files <= 10) OVER (PARTITION BY name ORDER BY batch) AS good_before
    FROM backlogs
  )
  WHERE backlog_files > 10
)
WHERE bad >= 3

-- %% each window of three batches: reported by each of its batches
DROP VIEW IF EXISTS alerts_vw;
CREATE TEMP VIEW alerts_vw AS
SELECT name, batch
FROM (
  SELECT *, min(backlog_files) OVER (PARTITION BY name ORDER BY batch ROWS 2 PRECEDING) AS least,
    count(*) OVER (PARTITION BY name ORDER BY batch ROWS 2 PRECEDING) AS n
  FROM backlogs
)
WHERE least > 10 AND n = 3

-- %% `WHERE bad % 3 = 0`: one of seven batches
DROP VIEW IF EXISTS alerts_vw;
CREATE TEMP VIEW alerts_vw AS
SELECT name, batch
FROM (
  SELECT name, batch, row_number() OVER (PARTITION BY name, good_before ORDER BY batch) AS bad
  FROM (
    SELECT *, count_if(backlog_files <= 10) OVER (PARTITION BY name ORDER BY batch) AS good_before
    FROM backlogs
  )
  WHERE backlog_files > 10
)
WHERE bad % 3 = 0

-- %% bad batches that do not follow each other: need not follow each other
DROP VIEW IF EXISTS alerts_vw;
CREATE TEMP VIEW alerts_vw AS
SELECT name, batch
FROM (SELECT *, row_number() OVER (PARTITION BY name ORDER BY batch) AS bad FROM backlogs WHERE backlog_files > 10)
WHERE bad = 3

-- %% one alert per stream: one alert in all
DROP VIEW IF EXISTS alerts_vw;
CREATE TEMP VIEW alerts_vw AS
SELECT name, min(batch) AS batch
FROM (
  SELECT *, min(backlog_files) OVER (PARTITION BY name ORDER BY batch ROWS 2 PRECEDING) AS least,
    count(*) OVER (PARTITION BY name ORDER BY batch ROWS 2 PRECEDING) AS n
  FROM backlogs
)
WHERE least > 10 AND n = 3
GROUP BY name

-- %% `bad = 1` for `bad = 3`: first batch above the limit
DROP VIEW IF EXISTS alerts_vw;
CREATE TEMP VIEW alerts_vw AS
SELECT name, batch
FROM (
  SELECT name, batch, row_number() OVER (PARTITION BY name, good_before ORDER BY batch) AS bad
  FROM (
    SELECT *, count_if(backlog_files <= 10) OVER (PARTITION BY name ORDER BY batch) AS good_before
    FROM backlogs
  )
  WHERE backlog_files > 10
)
WHERE bad = 1

-- %% `>=` for `>`: exactly 10 files
DROP VIEW IF EXISTS alerts_vw;
CREATE TEMP VIEW alerts_vw AS
SELECT name, batch
FROM (
  SELECT name, batch, row_number() OVER (PARTITION BY name, good_before ORDER BY batch) AS bad
  FROM (
    SELECT *, count_if(backlog_files < 10) OVER (PARTITION BY name ORDER BY batch) AS good_before
    FROM backlogs
  )
  WHERE backlog_files >= 10
)
WHERE bad = 3
