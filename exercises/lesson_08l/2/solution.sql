DROP VIEW IF EXISTS drift_vw;
CREATE TEMP VIEW drift_vw AS
SELECT file, field, count(*) AS records
FROM (SELECT file, explode(map_keys(from_json(_rescued_data, 'map<string, string>'))) AS field
  FROM sales)
WHERE field <> '_file_path'
GROUP BY file, field
