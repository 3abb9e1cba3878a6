-- %% without `WHERE rows > 0`: a stream without rows
DROP VIEW IF EXISTS streams_vw;
CREATE TEMP VIEW streams_vw AS
SELECT name,
       count(*) AS batches,
       sum(rows) / (sum(batch_ms) / 1000) AS rows_per_second,
       sum(batch_ms - add_ms) / sum(batch_ms) AS overhead
FROM health
GROUP BY name

-- %% `avg(rows / (batch_ms / 1000)` for `sum(rows) / (sum(batch_ms) / 1000`: Divide the sums
DROP VIEW IF EXISTS streams_vw;
CREATE TEMP VIEW streams_vw AS
SELECT name,
       count(*) AS batches,
       avg(rows / (batch_ms / 1000)) AS rows_per_second,
       sum(batch_ms - add_ms) / sum(batch_ms) AS overhead
FROM health
WHERE rows > 0
GROUP BY name

-- %% `avg((batch_ms - add_ms) /` for `sum(batch_ms - add_ms) / sum(`: Divide the sums
DROP VIEW IF EXISTS streams_vw;
CREATE TEMP VIEW streams_vw AS
SELECT name,
       count(*) AS batches,
       sum(rows) / (sum(batch_ms) / 1000) AS rows_per_second,
       avg((batch_ms - add_ms) / batch_ms) AS overhead
FROM health
WHERE rows > 0
GROUP BY name

-- %% without `batch_ms -`: yours is the other share
DROP VIEW IF EXISTS streams_vw;
CREATE TEMP VIEW streams_vw AS
SELECT name,
       count(*) AS batches,
       sum(rows) / (sum(batch_ms) / 1000) AS rows_per_second,
       sum(add_ms) / sum(batch_ms) AS overhead
FROM health
WHERE rows > 0
GROUP BY name

-- %% `sum(batch_ms` for `(sum(batch_ms) / 1000`: per millisecond
DROP VIEW IF EXISTS streams_vw;
CREATE TEMP VIEW streams_vw AS
SELECT name,
       count(*) AS batches,
       sum(rows) / sum(batch_ms) AS rows_per_second,
       sum(batch_ms - add_ms) / sum(batch_ms) AS overhead
FROM health
WHERE rows > 0
GROUP BY name

-- %% `100 * sum(` for `sum(`: in percent
DROP VIEW IF EXISTS streams_vw;
CREATE TEMP VIEW streams_vw AS
SELECT name,
       count(*) AS batches,
       sum(rows) / (sum(batch_ms) / 1000) AS rows_per_second,
       100 * sum(batch_ms - add_ms) / sum(batch_ms) AS overhead
FROM health
WHERE rows > 0
GROUP BY name

-- %% `round(sum(rows) / (sum(batch_ms) / 1000), 1` for `sum(rows) / (sum(batch_ms) / 1000`: Leave out `round`
DROP VIEW IF EXISTS streams_vw;
CREATE TEMP VIEW streams_vw AS
SELECT name,
       count(*) AS batches,
       round(sum(rows) / (sum(batch_ms) / 1000), 1) AS rows_per_second,
       sum(batch_ms - add_ms) / sum(batch_ms) AS overhead
FROM health
WHERE rows > 0
GROUP BY name

-- %% `max(batch) AS batches`: streams_vw
DROP VIEW IF EXISTS streams_vw;
CREATE TEMP VIEW streams_vw AS
SELECT name,
       max(batch) AS batches,
       sum(rows) / (sum(batch_ms) / 1000) AS rows_per_second,
       sum(batch_ms - add_ms) / sum(batch_ms) AS overhead
FROM health
WHERE rows > 0
GROUP BY name
