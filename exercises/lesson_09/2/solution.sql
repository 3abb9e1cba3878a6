DROP VIEW IF EXISTS rides_vw;
CREATE TEMP VIEW rides_vw AS
SELECT tram,
       session_window.start AS begins,
       max(event_time) AS last_tap,
       count(*) AS taps
FROM taps_vw
GROUP BY tram, session_window(event_time, '8 minutes')
HAVING count(*) > 1
