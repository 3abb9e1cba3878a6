DROP VIEW IF EXISTS figures_vw;
-- CREATE TEMP VIEW figures_vw AS
-- SELECT ... FROM reports_vw
