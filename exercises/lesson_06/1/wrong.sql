-- %% without `max_by(faulty, batch) AS`, without `GROUP BY device_id`: These are all updates
DROP VIEW IF EXISTS latest_vw;
CREATE TEMP VIEW latest_vw AS
SELECT device_id, faulty
FROM received
WHERE mode = 'update'

-- %% only the last batch: only the last batch
DROP VIEW IF EXISTS latest_vw;
CREATE TEMP VIEW latest_vw AS
SELECT device_id, faulty
FROM received
WHERE mode = 'update'
AND batch = (SELECT max(batch) FROM received)

-- %% `SELECT device_id, sum(faulty) AS faulty`: more than once
DROP VIEW IF EXISTS latest_vw;
CREATE TEMP VIEW latest_vw AS
SELECT device_id, sum(faulty) AS faulty
FROM received
WHERE mode = 'update'
GROUP BY device_id

-- %% `min_by` for `max_by`: came first
DROP VIEW IF EXISTS latest_vw;
CREATE TEMP VIEW latest_vw AS
SELECT device_id, min_by(faulty, batch) AS faulty
FROM received
WHERE mode = 'update'
GROUP BY device_id

-- %% `SELECT device_id, count(*) AS faulty`: should not be there
DROP VIEW IF EXISTS latest_vw;
CREATE TEMP VIEW latest_vw AS
SELECT device_id, count(*) AS faulty
FROM received
WHERE mode = 'update'
GROUP BY device_id

-- %% without `AS faulty`: column `faulty` is missing
DROP VIEW IF EXISTS latest_vw;
CREATE TEMP VIEW latest_vw AS
SELECT device_id, max_by(faulty, batch)
FROM received
WHERE mode = 'update'
GROUP BY device_id

-- %% without `GROUP BY device_id`: raised an error
DROP VIEW IF EXISTS latest_vw;
CREATE TEMP VIEW latest_vw AS
SELECT device_id, max_by(faulty, batch) AS faulty
FROM received
WHERE mode = 'update'
