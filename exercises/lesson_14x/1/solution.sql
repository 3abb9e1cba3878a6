DROP VIEW IF EXISTS rates_now_vw;
CREATE TEMP VIEW rates_now_vw AS
SELECT id, max_by(rate, file_modification_time) AS rate
FROM corrected
GROUP BY id
