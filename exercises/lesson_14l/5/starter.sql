DROP VIEW IF EXISTS report_vw;
-- CREATE TEMP VIEW report_vw AS
-- SELECT wiki, title, one, other, ... AS began, ... AS undos
-- FROM alerts_vw
-- GROUP BY ...
