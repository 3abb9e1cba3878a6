-- %% without `HAVING count(*) > 1`: Rides of a single tap
DROP VIEW IF EXISTS rides_vw;
CREATE TEMP VIEW rides_vw AS
SELECT tram,
       session_window.start AS begins,
       max(event_time) AS last_tap,
       count(*) AS taps
FROM taps_vw
GROUP BY tram, session_window(event_time, '8 minutes')

-- %% `session_window.end` for `max(event_time)`: not the time of the last tap
DROP VIEW IF EXISTS rides_vw;
CREATE TEMP VIEW rides_vw AS
SELECT tram,
       session_window.start AS begins,
       session_window.end AS last_tap,
       count(*) AS taps
FROM taps_vw
GROUP BY tram, session_window(event_time, '8 minutes')
HAVING count(*) > 1

-- %% `, '5 minutes'` for `, '8 minutes'`: a gap of five minutes
DROP VIEW IF EXISTS rides_vw;
CREATE TEMP VIEW rides_vw AS
SELECT tram,
       session_window.start AS begins,
       max(event_time) AS last_tap,
       count(*) AS taps
FROM taps_vw
GROUP BY tram, session_window(event_time, '5 minutes')
HAVING count(*) > 1

-- %% `all_taps` for `taps_vw`: does not read a stream
DROP VIEW IF EXISTS rides_vw;
CREATE TEMP VIEW rides_vw AS
SELECT tram,
       session_window.start AS begins,
       max(event_time) AS last_tap,
       count(*) AS taps
FROM all_taps
GROUP BY tram, session_window(event_time, '8 minutes')
HAVING count(*) > 1

-- %% `window` for `session_window`: `rides_vw`
DROP VIEW IF EXISTS rides_vw;
CREATE TEMP VIEW rides_vw AS
SELECT tram,
       window.start AS begins,
       max(event_time) AS last_tap,
       count(*) AS taps
FROM taps_vw
GROUP BY tram, window(event_time, '8 minutes')
HAVING count(*) > 1

-- %% without `tram`: Global aggregation
DROP VIEW IF EXISTS rides_vw;
CREATE TEMP VIEW rides_vw AS
SELECT session_window.start AS begins,
       max(event_time) AS last_tap,
       count(*) AS taps
FROM taps_vw
GROUP BY session_window(event_time, '8 minutes')
HAVING count(*) > 1
