-- %% `max(rate)` for `max_by(rate, file_modification_time)`: not the greatest
DROP VIEW IF EXISTS rates_now_vw;
CREATE TEMP VIEW rates_now_vw AS
SELECT id, max(rate) AS rate
FROM corrected
GROUP BY id

-- %% `DISTINCT` for a group: more than once
DROP VIEW IF EXISTS rates_now_vw;
CREATE TEMP VIEW rates_now_vw AS
SELECT DISTINCT id, rate
FROM corrected

-- %% `min_by` for `max_by`: arrived first
DROP VIEW IF EXISTS rates_now_vw;
CREATE TEMP VIEW rates_now_vw AS
SELECT id, min_by(rate, file_modification_time) AS rate
FROM corrected
GROUP BY id

-- %% with `WHERE rate > 10`: other corrections
DROP VIEW IF EXISTS rates_now_vw;
CREATE TEMP VIEW rates_now_vw AS
SELECT id, max_by(rate, file_modification_time) AS rate
FROM corrected
WHERE rate > 10
GROUP BY id
