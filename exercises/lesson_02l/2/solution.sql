DROP VIEW IF EXISTS activity_vw;
CREATE TEMP VIEW activity_vw AS
SELECT User AS person, Device AS device, gt AS activity,
       timestamp_millis(Arrival_Time) AS arrived_at
FROM recordings_vw
WHERE gt != 'null'
