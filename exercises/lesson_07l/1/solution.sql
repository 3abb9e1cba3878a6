DROP VIEW IF EXISTS morning_vw;
CREATE TEMP VIEW morning_vw AS
SELECT 'archive' AS pipeline, (SELECT count(*) FROM archive_files) AS landed,
       count(*) AS in_table, count(DISTINCT device_id, time) AS distinct_rows
FROM archive
UNION ALL
SELECT 'ward', (SELECT count(*) FROM ward_files),
       count(*), count(DISTINCT device_id, time)
FROM ward
UNION ALL
SELECT 'vitals', (SELECT count(*) FROM vitals_files),
       count(*), count(DISTINCT device_id, time)
FROM vitals
