DROP VIEW IF EXISTS report_vw;
CREATE TEMP VIEW report_vw AS
SELECT wiki, title, one, other, min(first_undo) AS began, max(undos) AS undos
FROM alerts_vw
GROUP BY wiki, title, one, other, session_window(start, '10 minutes')
