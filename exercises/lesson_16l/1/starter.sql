DROP VIEW IF EXISTS reports_vw;
-- CREATE TEMP VIEW reports_vw AS
-- SELECT ... FROM recorded_vw
