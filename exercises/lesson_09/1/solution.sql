DROP VIEW IF EXISTS busy_vw;
CREATE TEMP VIEW busy_vw AS
SELECT window.start AS begins, count(*) AS taps,
  array_join(array_sort(collect_list(tap)), ' ') AS which
FROM all_taps
GROUP BY window(event_time, '10 minutes')
