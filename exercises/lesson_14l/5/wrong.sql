-- %% `began, sum(undos` for `began, max(undos`: adds up
DROP VIEW IF EXISTS report_vw;
CREATE TEMP VIEW report_vw AS
SELECT wiki, title, one, other, min(first_undo) AS began, sum(undos) AS undos
FROM alerts_vw
GROUP BY wiki, title, one, other, session_window(start, '10 minutes')

-- %% `count(*` for `max(undos`: counts alerts
DROP VIEW IF EXISTS report_vw;
CREATE TEMP VIEW report_vw AS
SELECT wiki, title, one, other, min(first_undo) AS began, count(*) AS undos
FROM alerts_vw
GROUP BY wiki, title, one, other, session_window(start, '10 minutes')

-- %% `start` for `first_undo`: the start of a window
DROP VIEW IF EXISTS report_vw;
CREATE TEMP VIEW report_vw AS
SELECT wiki, title, one, other, min(start) AS began, max(undos) AS undos
FROM alerts_vw
GROUP BY wiki, title, one, other, session_window(start, '10 minutes')

-- %% `start` for `session_window(start, '10 minutes')`: overlap
DROP VIEW IF EXISTS report_vw;
CREATE TEMP VIEW report_vw AS
SELECT wiki, title, one, other, min(first_undo) AS began, max(undos) AS undos
FROM alerts_vw
GROUP BY wiki, title, one, other, start

-- %% without `, session_window(start, '10 minutes')`: second war
DROP VIEW IF EXISTS report_vw;
CREATE TEMP VIEW report_vw AS
SELECT wiki, title, one, other, min(first_undo) AS began, max(undos) AS undos
FROM alerts_vw
GROUP BY wiki, title, one, other

-- %% `window(start, '5` for `session_window(start, '10`: overlap
DROP VIEW IF EXISTS report_vw;
CREATE TEMP VIEW report_vw AS
SELECT wiki, title, one, other, min(first_undo) AS began, max(undos) AS undos
FROM alerts_vw
GROUP BY wiki, title, one, other, window(start, '5 minutes')

-- %% without `AS began`: column `began` is missing
DROP VIEW IF EXISTS report_vw;
CREATE TEMP VIEW report_vw AS
SELECT wiki, title, one, other, min(first_undo), max(undos) AS undos
FROM alerts_vw
GROUP BY wiki, title, one, other, session_window(start, '10 minutes')
