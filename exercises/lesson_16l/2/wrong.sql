-- %% the slope between first and last report: the first and the last report alone
DROP VIEW IF EXISTS figures_vw;
CREATE TEMP VIEW figures_vw AS
SELECT name,
       count(*) AS batches,
       sum(rows) / count(*) AS rows_per_batch,
       sum(rows) / 60 AS rows_per_minute,
       sum(batch_ms) / 3600000 AS busy,
       (max_by(backlog_files, minute) - min_by(backlog_files, minute)) / (max(minute) - min(minute)) AS backlog_per_minute,
       regr_slope(state_rows, minute) AS state_per_minute
FROM (SELECT *, unix_millis(at) / 60000 AS minute FROM reports_vw)
GROUP BY name

-- %% `sum(batch_ms) / 60000 AS busy`: `busy` is in minutes
DROP VIEW IF EXISTS figures_vw;
CREATE TEMP VIEW figures_vw AS
SELECT name,
       count(*) AS batches,
       sum(rows) / count(*) AS rows_per_batch,
       sum(rows) / 60 AS rows_per_minute,
       sum(batch_ms) / 60000 AS busy,
       regr_slope(backlog_files, minute) AS backlog_per_minute,
       regr_slope(state_rows, minute) AS state_per_minute
FROM (SELECT *, unix_millis(at) / 60000 AS minute FROM reports_vw)
GROUP BY name

-- %% `sum(batch_ms) / 3600 AS busy`: a thousand times too large
DROP VIEW IF EXISTS figures_vw;
CREATE TEMP VIEW figures_vw AS
SELECT name,
       count(*) AS batches,
       sum(rows) / count(*) AS rows_per_batch,
       sum(rows) / 60 AS rows_per_minute,
       sum(batch_ms) / 3600 AS busy,
       regr_slope(backlog_files, minute) AS backlog_per_minute,
       regr_slope(state_rows, minute) AS state_per_minute
FROM (SELECT *, unix_millis(at) / 60000 AS minute FROM reports_vw)
GROUP BY name

-- %% `unix_seconds(at)` for `unix_millis(at) / 60000`: per second
DROP VIEW IF EXISTS figures_vw;
CREATE TEMP VIEW figures_vw AS
SELECT name,
       count(*) AS batches,
       sum(rows) / count(*) AS rows_per_batch,
       sum(rows) / 60 AS rows_per_minute,
       sum(batch_ms) / 3600000 AS busy,
       regr_slope(backlog_files, minute) AS backlog_per_minute,
       regr_slope(state_rows, minute) AS state_per_minute
FROM (SELECT *, unix_seconds(at) AS minute FROM reports_vw)
GROUP BY name

-- %% `minute, state_rows` for `state_rows, minute`: figures_vw
DROP VIEW IF EXISTS figures_vw;
CREATE TEMP VIEW figures_vw AS
SELECT name,
       count(*) AS batches,
       sum(rows) / count(*) AS rows_per_batch,
       sum(rows) / 60 AS rows_per_minute,
       sum(batch_ms) / 3600000 AS busy,
       regr_slope(backlog_files, minute) AS backlog_per_minute,
       regr_slope(minute, state_rows) AS state_per_minute
FROM (SELECT *, unix_millis(at) / 60000 AS minute FROM reports_vw)
GROUP BY name

-- %% `avg(rows) AS rows_per_minute`: figures_vw
DROP VIEW IF EXISTS figures_vw;
CREATE TEMP VIEW figures_vw AS
SELECT name,
       count(*) AS batches,
       sum(rows) / count(*) AS rows_per_batch,
       avg(rows) AS rows_per_minute,
       sum(batch_ms) / 3600000 AS busy,
       regr_slope(backlog_files, minute) AS backlog_per_minute,
       regr_slope(state_rows, minute) AS state_per_minute
FROM (SELECT *, unix_millis(at) / 60000 AS minute FROM reports_vw)
GROUP BY name
