-- %% without `AND operation <> 'DELETE'`: Customers who had left
DROP VIEW IF EXISTS evening_vw;
CREATE TEMP VIEW evening_vw AS
SELECT customer_id, name, country, city
FROM history
WHERE valid_from <= TIMESTAMP '2025-03-06 18:00:00'
  AND (valid_to > TIMESTAMP '2025-03-06 18:00:00' OR valid_to IS NULL)

-- %% without `OR valid_to IS NULL`: Current versions are missing
DROP VIEW IF EXISTS evening_vw;
CREATE TEMP VIEW evening_vw AS
SELECT customer_id, name, country, city
FROM history
WHERE valid_from <= TIMESTAMP '2025-03-06 18:00:00'
  AND (valid_to > TIMESTAMP '2025-03-06 18:00:00')
  AND operation <> 'DELETE'

-- %% `valid_to >= TIMESTAMP '` for `valid_to > TIMESTAMP '`: exactly
DROP VIEW IF EXISTS evening_vw;
CREATE TEMP VIEW evening_vw AS
SELECT customer_id, name, country, city
FROM history
WHERE valid_from <= TIMESTAMP '2025-03-06 18:00:00'
  AND (valid_to >= TIMESTAMP '2025-03-06 18:00:00' OR valid_to IS NULL)
  AND operation <> 'DELETE'

-- %% `valid_from < TIMESTAMP '` for `valid_from <= TIMESTAMP '`: exactly
DROP VIEW IF EXISTS evening_vw;
CREATE TEMP VIEW evening_vw AS
SELECT customer_id, name, country, city
FROM history
WHERE valid_from < TIMESTAMP '2025-03-06 18:00:00'
  AND (valid_to > TIMESTAMP '2025-03-06 18:00:00' OR valid_to IS NULL)
  AND operation <> 'DELETE'

-- %% the current versions: as they are now
DROP VIEW IF EXISTS evening_vw;
CREATE TEMP VIEW evening_vw AS
SELECT customer_id, name, country, city FROM history WHERE is_current
