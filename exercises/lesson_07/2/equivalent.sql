-- %% `FULL OUTER JOIN` for `LEFT JOIN`
DROP VIEW IF EXISTS added_vw;
CREATE TEMP VIEW added_vw AS
SELECT after.key.device_id, after.value.count - coalesce(before.value.count, 0) AS added
FROM state_after_1 AS after
FULL OUTER JOIN state_after_0 AS before ON after.key = before.key

-- %% `ifnull` for `coalesce`
DROP VIEW IF EXISTS added_vw;
CREATE TEMP VIEW added_vw AS
SELECT after.key.device_id, after.value.count - ifnull(before.value.count, 0) AS added
FROM state_after_1 AS after
LEFT JOIN state_after_0 AS before ON after.key = before.key
