DROP VIEW IF EXISTS streams_vw;
CREATE TEMP VIEW streams_vw AS
SELECT name,
       count(*) AS batches,
       sum(rows) / (sum(batch_ms) / 1000) AS rows_per_second,
       sum(batch_ms - add_ms) / sum(batch_ms) AS overhead
FROM health
WHERE rows > 0
GROUP BY name
