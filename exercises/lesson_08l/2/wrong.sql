-- %% without `WHERE field <> '_file_path'`: Leave it out
DROP VIEW IF EXISTS drift_vw;
CREATE TEMP VIEW drift_vw AS
SELECT file, field, count(*) AS records
FROM (SELECT file, explode(map_keys(from_json(_rescued_data, 'map<string, string>'))) AS field FROM sales)
GROUP BY file, field

-- %% `SELECT field,` for `SELECT file, field,`, `GROUP BY field` for `GROUP BY file, field`: has no column `file`
DROP VIEW IF EXISTS drift_vw;
CREATE TEMP VIEW drift_vw AS
SELECT field, count(*) AS records
FROM (SELECT file, explode(map_keys(from_json(_rescued_data, 'map<string, string>'))) AS field FROM sales)
WHERE field <> '_file_path'
GROUP BY field

-- %% one field for all rows: `drift_vw`
DROP VIEW IF EXISTS drift_vw;
CREATE TEMP VIEW drift_vw AS
SELECT file, field, count(*) AS records
FROM (SELECT file, 'amount' AS field FROM sales WHERE _rescued_data IS NOT NULL)
WHERE field <> '_file_path'
GROUP BY file, field

-- %% only the first field of a row: some rows have two rescued fields
DROP VIEW IF EXISTS drift_vw;
CREATE TEMP VIEW drift_vw AS
SELECT file, field, count(*) AS records
FROM (SELECT file, map_keys(from_json(_rescued_data, 'map<string, string>'))[0] AS field FROM sales)
WHERE field <> '_file_path'
GROUP BY file, field

-- %% `DISTINCT file` for `*`: `drift_vw`
DROP VIEW IF EXISTS drift_vw;
CREATE TEMP VIEW drift_vw AS
SELECT file, field, count(DISTINCT file) AS records
FROM (SELECT file, explode(map_keys(from_json(_rescued_data, 'map<string, string>'))) AS field FROM sales)
WHERE field <> '_file_path'
GROUP BY file, field
