-- %% without the earlier state: a running total
DROP VIEW IF EXISTS added_vw;
CREATE TEMP VIEW added_vw AS
SELECT after.key.device_id, after.value.count AS added
FROM state_after_1 AS after

-- %% without `after.value.count -`: what batch 0 counted
DROP VIEW IF EXISTS added_vw;
CREATE TEMP VIEW added_vw AS
SELECT after.key.device_id, coalesce(before.value.count, 0) AS added
FROM state_after_1 AS after
LEFT JOIN state_after_0 AS before ON after.key = before.key

-- %% subtracted the other way round: The sign is wrong
DROP VIEW IF EXISTS added_vw;
CREATE TEMP VIEW added_vw AS
SELECT after.key.device_id, before.value.count - after.value.count AS added
FROM state_after_1 AS after
LEFT JOIN state_after_0 AS before ON after.key = before.key

-- %% without `ON after.key = before.key`: join the two states by their key
DROP VIEW IF EXISTS added_vw;
CREATE TEMP VIEW added_vw AS
SELECT after.key.device_id, after.value.count - coalesce(before.value.count, 0) AS added
FROM state_after_1 AS after
LEFT JOIN state_after_0 AS before

-- %% without `AS added`: column `added` is missing
DROP VIEW IF EXISTS added_vw;
CREATE TEMP VIEW added_vw AS
SELECT after.key.device_id, after.value.count - coalesce(before.value.count, 0)
FROM state_after_1 AS after
LEFT JOIN state_after_0 AS before ON after.key = before.key

-- %% `state_after_2` for `state_after_1`: raised an error
DROP VIEW IF EXISTS added_vw;
CREATE TEMP VIEW added_vw AS
SELECT after.key.device_id, after.value.count - coalesce(before.value.count, 0) AS added
FROM state_after_2 AS after
LEFT JOIN state_after_0 AS before ON after.key = before.key
