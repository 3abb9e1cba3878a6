-- %% `CAST(rand() * 40 AS INT)` for `value % 40`: random or depends on the clock
DROP VIEW IF EXISTS test_readings_tmp_vw;
CREATE TEMP VIEW test_readings_tmp_vw AS
SELECT value % 12 + 1 AS device_id, 60 + CAST(rand() * 40 AS INT) AS heartrate, unix_timestamp(timestamp) AS time
FROM counter_tmp_vw

-- %% `% 12 AS device_id` for `% 12 + 1 AS device_id`: numbered from 0 to 11
DROP VIEW IF EXISTS test_readings_tmp_vw;
CREATE TEMP VIEW test_readings_tmp_vw AS
SELECT value % 12 AS device_id, 60 + value % 40 AS heartrate, unix_timestamp(timestamp) AS time
FROM counter_tmp_vw

-- %% `timestamp` for `unix_timestamp(timestamp)`: rows are missing
DROP VIEW IF EXISTS test_readings_tmp_vw;
CREATE TEMP VIEW test_readings_tmp_vw AS
SELECT value % 12 + 1 AS device_id, 60 + value % 40 AS heartrate, timestamp AS time
FROM counter_tmp_vw

-- %% from `range`, not from a stream: does not read a stream
DROP VIEW IF EXISTS test_readings_tmp_vw;
CREATE TEMP VIEW test_readings_tmp_vw AS
SELECT value % 12 + 1 AS device_id, 60 + value % 40 AS heartrate, 1748736000 AS time
FROM range(12) AS t(value)

-- %% `rate` for `heartrate`: the column `heartrate` is missing
DROP VIEW IF EXISTS test_readings_tmp_vw;
CREATE TEMP VIEW test_readings_tmp_vw AS
SELECT value % 12 + 1 AS device_id, 60 + value % 40 AS rate, unix_timestamp(timestamp) AS time
FROM counter_tmp_vw

-- %% `rate_micro_batch` for `counter_tmp_vw`: raised an error
DROP VIEW IF EXISTS test_readings_tmp_vw;
CREATE TEMP VIEW test_readings_tmp_vw AS
SELECT value % 12 + 1 AS device_id, 60 + value % 40 AS heartrate, unix_timestamp(timestamp) AS time
FROM rate_micro_batch
