-- %% `bronze` for `streaming_tmp_vw`: reads a table, not the stream
DROP VIEW IF EXISTS patients_tmp_vw;
CREATE TEMP VIEW patients_tmp_vw AS
SELECT mrn, count(*) AS readings, max(heartrate) AS highest
FROM bronze
WHERE heartrate >= 0
GROUP BY mrn

-- %% without `WHERE heartrate >= 0`: faulty readings are counted
DROP VIEW IF EXISTS patients_tmp_vw;
CREATE TEMP VIEW patients_tmp_vw AS
SELECT mrn, count(*) AS readings, max(heartrate) AS highest
FROM streaming_tmp_vw
GROUP BY mrn

-- %% `device_id` for `mrn`: no column `mrn`
DROP VIEW IF EXISTS patients_tmp_vw;
CREATE TEMP VIEW patients_tmp_vw AS
SELECT device_id, count(*) AS readings, max(heartrate) AS highest
FROM streaming_tmp_vw
WHERE heartrate >= 0
GROUP BY device_id

-- %% without grouping: For one row per patient, use `GROUP BY`
DROP VIEW IF EXISTS patients_tmp_vw;
CREATE TEMP VIEW patients_tmp_vw AS
SELECT mrn, heartrate AS highest
FROM streaming_tmp_vw
WHERE heartrate >= 0

-- %% `readings, avg(heartrate` for `readings, max(heartrate`: missing
DROP VIEW IF EXISTS patients_tmp_vw;
CREATE TEMP VIEW patients_tmp_vw AS
SELECT mrn, count(*) AS readings, avg(heartrate) AS highest
FROM streaming_tmp_vw
WHERE heartrate >= 0
GROUP BY mrn

-- %% with `, device_id`: has changed devices
DROP VIEW IF EXISTS patients_tmp_vw;
CREATE TEMP VIEW patients_tmp_vw AS
SELECT mrn, count(*) AS readings, max(heartrate) AS highest
FROM streaming_tmp_vw
WHERE heartrate >= 0
GROUP BY mrn, device_id

-- %% `steaming_tmp_vw` for `streaming_tmp_vw`: raised an error
DROP VIEW IF EXISTS patients_tmp_vw;
CREATE TEMP VIEW patients_tmp_vw AS
SELECT mrn, count(*) AS readings, max(heartrate) AS highest
FROM steaming_tmp_vw
WHERE heartrate >= 0
GROUP BY mrn
