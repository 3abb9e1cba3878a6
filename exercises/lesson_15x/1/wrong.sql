-- %% without the comparison: Every rule with failed records
DROP VIEW IF EXISTS alarms_vw;
CREATE TEMP VIEW alarms_vw AS
SELECT dataset, name, failed FROM quality_vw
WHERE failed > 0 AND update = (SELECT max(update) FROM quality_vw)

-- %% of all updates: Only the newest
DROP VIEW IF EXISTS alarms_vw;
CREATE TEMP VIEW alarms_vw AS
SELECT dataset, name, failed FROM quality_vw

-- %% counts, not shares: other counts
DROP VIEW IF EXISTS alarms_vw;
CREATE TEMP VIEW alarms_vw AS
SELECT now.dataset, now.name, now.failed
FROM quality_vw AS now JOIN quality_vw AS earlier
  ON now.dataset = earlier.dataset AND now.name = earlier.name AND now.update = earlier.update + 1
WHERE now.update = (SELECT max(update) FROM quality_vw)
  AND now.failed > earlier.failed

-- %% without `dataset = earlier.dataset AND now.`: other counts
DROP VIEW IF EXISTS alarms_vw;
CREATE TEMP VIEW alarms_vw AS
SELECT now.dataset, now.name, now.failed
FROM quality_vw AS now JOIN quality_vw AS earlier
  ON now.name = earlier.name AND now.update = earlier.update + 1
WHERE now.update = (SELECT max(update) FROM quality_vw)
  AND try_divide(now.failed, now.passed + now.failed) > try_divide(earlier.failed, earlier.passed + earlier.failed)

-- %% `> earlier.update` for `= earlier.update + 1`: other
DROP VIEW IF EXISTS alarms_vw;
CREATE TEMP VIEW alarms_vw AS
SELECT now.dataset, now.name, now.failed
FROM quality_vw AS now JOIN quality_vw AS earlier
  ON now.dataset = earlier.dataset AND now.name = earlier.name AND now.update > earlier.update
WHERE now.update = (SELECT max(update) FROM quality_vw)
  AND try_divide(now.failed, now.passed + now.failed) > try_divide(earlier.failed, earlier.passed + earlier.failed)

-- %% `/` for `try_divide`: DIVIDE_BY_ZERO
DROP VIEW IF EXISTS alarms_vw;
CREATE TEMP VIEW alarms_vw AS
SELECT now.dataset, now.name, now.failed
FROM quality_vw AS now JOIN quality_vw AS earlier
  ON now.dataset = earlier.dataset AND now.name = earlier.name AND now.update = earlier.update + 1
WHERE now.update = (SELECT max(update) FROM quality_vw)
  AND now.failed / (now.passed + now.failed) > earlier.failed / (earlier.passed + earlier.failed)
