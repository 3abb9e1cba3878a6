-- %% `SELECT name, 360 / max(backlog_per_minute) AS minutes`: The whole way
DROP VIEW IF EXISTS left_vw;
CREATE TEMP VIEW left_vw AS
SELECT name, 360 / max(backlog_per_minute) AS minutes
FROM reports_vw JOIN figures_vw USING (name)
WHERE backlog_per_minute > 1
GROUP BY name

-- %% `max(backlog_files` for `max_by(backlog_files, at`: largest backlog
DROP VIEW IF EXISTS left_vw;
CREATE TEMP VIEW left_vw AS
SELECT name, greatest(360 - max(backlog_files), 0) / max(backlog_per_minute) AS minutes
FROM reports_vw JOIN figures_vw USING (name)
WHERE backlog_per_minute > 1
GROUP BY name

-- %% `avg(backlog_files` for `max_by(backlog_files, at`: mean backlog
DROP VIEW IF EXISTS left_vw;
CREATE TEMP VIEW left_vw AS
SELECT name, greatest(360 - avg(backlog_files), 0) / max(backlog_per_minute) AS minutes
FROM reports_vw JOIN figures_vw USING (name)
WHERE backlog_per_minute > 1
GROUP BY name

-- %% `min_by` for `max_by`: The minutes count from the last one
DROP VIEW IF EXISTS left_vw;
CREATE TEMP VIEW left_vw AS
SELECT name, greatest(360 - min_by(backlog_files, at), 0) / max(backlog_per_minute) AS minutes
FROM reports_vw JOIN figures_vw USING (name)
WHERE backlog_per_minute > 1
GROUP BY name

-- %% `WHERE backlog_per_minute <> 0`: does not grow
DROP VIEW IF EXISTS left_vw;
CREATE TEMP VIEW left_vw AS
SELECT name, greatest(360 - max_by(backlog_files, at), 0) / max(backlog_per_minute) AS minutes
FROM reports_vw JOIN figures_vw USING (name)
WHERE backlog_per_minute <> 0
GROUP BY name

-- %% `(360 - max_by(backlog_files, at)` for `greatest(360 - max_by(backlog_files, at), 0`: one is over already
DROP VIEW IF EXISTS left_vw;
CREATE TEMP VIEW left_vw AS
SELECT name, (360 - max_by(backlog_files, at)) / max(backlog_per_minute) AS minutes
FROM reports_vw JOIN figures_vw USING (name)
WHERE backlog_per_minute > 1
GROUP BY name
