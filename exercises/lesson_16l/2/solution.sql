DROP VIEW IF EXISTS figures_vw;
CREATE TEMP VIEW figures_vw AS
SELECT name,
       count(*) AS batches,
       sum(rows) / count(*) AS rows_per_batch,
       sum(rows) / 60 AS rows_per_minute,
       sum(batch_ms) / 3600000 AS busy,
       regr_slope(backlog_files, minute) AS backlog_per_minute,
       regr_slope(state_rows, minute) AS state_per_minute
FROM (SELECT *, unix_millis(at) / 60000 AS minute FROM reports_vw)
GROUP BY name
