-- %% `count(*)` for `count(DISTINCT device_id, time)`: counts every row
DROP VIEW IF EXISTS morning_vw;
CREATE TEMP VIEW morning_vw AS
SELECT 'archive' AS pipeline, (SELECT count(*) FROM archive_files) AS landed,
       count(*) AS in_table, count(*) AS distinct_rows
FROM archive
UNION ALL
SELECT 'ward', (SELECT count(*) FROM ward_files), count(*), count(*) FROM ward
UNION ALL
SELECT 'vitals', (SELECT count(*) FROM vitals_files), count(*), count(*) FROM vitals

-- %% `count(DISTINCT device_id)` for `count(DISTINCT device_id, time)`: counts devices
DROP VIEW IF EXISTS morning_vw;
CREATE TEMP VIEW morning_vw AS
SELECT 'archive' AS pipeline, (SELECT count(*) FROM archive_files) AS landed,
       count(*) AS in_table, count(DISTINCT device_id) AS distinct_rows
FROM archive
UNION ALL
SELECT 'ward', (SELECT count(*) FROM ward_files), count(*), count(DISTINCT device_id) FROM ward
UNION ALL
SELECT 'vitals', (SELECT count(*) FROM vitals_files), count(*), count(DISTINCT device_id) FROM vitals

-- %% without `UNION ALL` to `SELECT 'vitals', (SELECT count(*) FROM ...`: is missing
DROP VIEW IF EXISTS morning_vw;
CREATE TEMP VIEW morning_vw AS
SELECT 'archive' AS pipeline, (SELECT count(*) FROM archive_files) AS landed,
       count(*) AS in_table, count(DISTINCT device_id, time) AS distinct_rows
FROM archive
UNION ALL
SELECT 'ward', (SELECT count(*) FROM ward_files), count(*), count(DISTINCT device_id, time) FROM ward

-- %% `archive_files` for `vitals_files`: should not be there
DROP VIEW IF EXISTS morning_vw;
CREATE TEMP VIEW morning_vw AS
SELECT 'archive' AS pipeline, (SELECT count(*) FROM archive_files) AS landed,
       count(*) AS in_table, count(DISTINCT device_id, time) AS distinct_rows
FROM archive
UNION ALL
SELECT 'ward', (SELECT count(*) FROM ward_files), count(*), count(DISTINCT device_id, time) FROM ward
UNION ALL
SELECT 'vitals', (SELECT count(*) FROM archive_files), count(*), count(DISTINCT device_id, time) FROM vitals

-- %% without `AS in_table`: column `in_table` is missing
DROP VIEW IF EXISTS morning_vw;
CREATE TEMP VIEW morning_vw AS
SELECT 'archive' AS pipeline, (SELECT count(*) FROM archive_files) AS landed,
       count(*), count(DISTINCT device_id, time) AS distinct_rows
FROM archive
UNION ALL
SELECT 'ward', (SELECT count(*) FROM ward_files), count(*), count(DISTINCT device_id, time) FROM ward
UNION ALL
SELECT 'vitals', (SELECT count(*) FROM vitals_files), count(*), count(DISTINCT device_id, time) FROM vitals

-- %% `EVERYTHING` for `ALL`: raised an error
DROP VIEW IF EXISTS morning_vw;
CREATE TEMP VIEW morning_vw AS
SELECT 'archive' AS pipeline, (SELECT count(*) FROM archive_files) AS landed,
       count(*) AS in_table, count(DISTINCT device_id, time) AS distinct_rows
FROM archive
UNION EVERYTHING
SELECT 'ward', (SELECT count(*) FROM ward_files), count(*), count(DISTINCT device_id, time) FROM ward
UNION EVERYTHING
SELECT 'vitals', (SELECT count(*) FROM vitals_files), count(*), count(DISTINCT device_id, time) FROM vitals
