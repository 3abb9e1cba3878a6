DROP VIEW IF EXISTS alarms_vw;
CREATE TEMP VIEW alarms_vw AS
SELECT now.dataset, now.name, now.failed
FROM quality_vw AS now JOIN quality_vw AS earlier
  ON now.dataset = earlier.dataset AND now.name = earlier.name
  AND now.update = earlier.update + 1
WHERE now.update = (SELECT max(update) FROM quality_vw)
  AND try_divide(now.failed, now.passed + now.failed)
    > try_divide(earlier.failed, earlier.passed + earlier.failed)
