-- %% without `WHERE gt != 'null'`: labeled `null` are still there
DROP VIEW IF EXISTS activity_vw;
CREATE TEMP VIEW activity_vw AS
SELECT User AS person, Device AS device, gt AS activity, timestamp_millis(Arrival_Time) AS arrived_at
FROM recordings_vw

-- %% `WHERE gt IS NOT NULL`: labeled `null` are still there
DROP VIEW IF EXISTS activity_vw;
CREATE TEMP VIEW activity_vw AS
SELECT User AS person, Device AS device, gt AS activity, timestamp_millis(Arrival_Time) AS arrived_at
FROM recordings_vw
WHERE gt IS NOT NULL

-- %% `timestamp_seconds` for `timestamp_millis`: thousands of years ahead
DROP VIEW IF EXISTS activity_vw;
CREATE TEMP VIEW activity_vw AS
SELECT User AS person, Device AS device, gt AS activity, timestamp_seconds(Arrival_Time) AS arrived_at
FROM recordings_vw
WHERE gt != 'null'

-- %% `Arrival_Time` for `timestamp_millis(Arrival_Time)`: is a BIGINT
DROP VIEW IF EXISTS activity_vw;
CREATE TEMP VIEW activity_vw AS
SELECT User AS person, Device AS device, gt AS activity, Arrival_Time AS arrived_at
FROM recordings_vw
WHERE gt != 'null'

-- %% without `AS activity`: the column `activity` is missing
DROP VIEW IF EXISTS activity_vw;
CREATE TEMP VIEW activity_vw AS
SELECT User AS person, Device AS device, gt, timestamp_millis(Arrival_Time) AS arrived_at
FROM recordings_vw
WHERE gt != 'null'

-- %% `, gt, gt AS activity` for `, gt AS activity`: the column `gt` was not asked for
DROP VIEW IF EXISTS activity_vw;
CREATE TEMP VIEW activity_vw AS
SELECT User AS person, Device AS device, gt, gt AS activity, timestamp_millis(Arrival_Time) AS arrived_at
FROM recordings_vw
WHERE gt != 'null'

-- %% `json.`${da.paths.landing}`` for `recordings_vw`: not the stream
DROP VIEW IF EXISTS activity_vw;
CREATE TEMP VIEW activity_vw AS
SELECT User AS person, Device AS device, gt AS activity, timestamp_millis(Arrival_Time) AS arrived_at
FROM json.`${da.paths.landing}`
WHERE gt != 'null'

-- %% `recordings` for `recordings_vw`: raised an error
DROP VIEW IF EXISTS activity_vw;
CREATE TEMP VIEW activity_vw AS
SELECT User AS person, Device AS device, gt AS activity, timestamp_millis(Arrival_Time) AS arrived_at
FROM recordings
WHERE gt != 'null'
