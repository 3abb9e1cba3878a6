DROP VIEW IF EXISTS left_vw;
CREATE TEMP VIEW left_vw AS
SELECT name,
       greatest(360 - max_by(backlog_files, at), 0) / max(backlog_per_minute) AS minutes
FROM reports_vw JOIN figures_vw USING (name)
WHERE backlog_per_minute > 1
GROUP BY name
