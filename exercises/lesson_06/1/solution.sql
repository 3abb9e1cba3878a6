DROP VIEW IF EXISTS latest_vw;
CREATE TEMP VIEW latest_vw AS
SELECT device_id, max_by(faulty, batch) AS faulty
FROM received
WHERE mode = 'update'
GROUP BY device_id
