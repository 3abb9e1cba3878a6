DROP VIEW IF EXISTS test_readings_tmp_vw;
CREATE TEMP VIEW test_readings_tmp_vw AS
SELECT value % 12 + 1 AS device_id, 60 + value % 40 AS heartrate, unix_timestamp(timestamp) AS time
FROM counter_tmp_vw
