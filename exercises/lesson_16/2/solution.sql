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
WHERE bad = 3
