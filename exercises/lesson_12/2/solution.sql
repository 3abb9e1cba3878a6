DROP VIEW IF EXISTS evening_vw;
CREATE TEMP VIEW evening_vw AS
SELECT customer_id, name, country, city
FROM history
WHERE valid_from <= TIMESTAMP '2025-03-06 18:00:00'
  AND (valid_to > TIMESTAMP '2025-03-06 18:00:00' OR valid_to IS NULL)
  AND operation <> 'DELETE'
