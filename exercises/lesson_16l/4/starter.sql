DROP VIEW IF EXISTS left_vw;
-- CREATE TEMP VIEW left_vw AS
-- SELECT ... FROM reports_vw JOIN figures_vw USING (name)
