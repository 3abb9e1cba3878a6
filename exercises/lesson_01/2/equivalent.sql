-- %% `NOT heartrate < 0`
DROP VIEW IF EXISTS patients_tmp_vw;
CREATE TEMP VIEW patients_tmp_vw AS
SELECT mrn, count(*) AS readings, max(heartrate) AS highest
FROM streaming_tmp_vw
WHERE NOT heartrate < 0
GROUP BY mrn
