-- %% `, '',` for `, ' EUR',`: they end in ` EUR`
DROP VIEW IF EXISTS sales_vw;
CREATE TEMP VIEW sales_vw AS
SELECT file, sale_id, play, seats,
       coalesce(amount, try_cast(replace(coalesce(
           get_json_object(_rescued_data, '$.amount'), get_json_object(_rescued_data, '$.Amount')
       ), '', '') AS DECIMAL(8, 2))) AS amount,
       CAST(sold_at AS TIMESTAMP) AS sold_at, channel, get_json_object(buyer, '$.country') AS country
FROM sales

-- %% without `, get_json_object(_rescued_data, '$.Amount')`: the field was spelled `Amount`
DROP VIEW IF EXISTS sales_vw;
CREATE TEMP VIEW sales_vw AS
SELECT file, sale_id, play, seats,
       coalesce(amount, try_cast(replace(coalesce(
           get_json_object(_rescued_data, '$.amount')
       ), ' EUR', '') AS DECIMAL(8, 2))) AS amount,
       CAST(sold_at AS TIMESTAMP) AS sold_at, channel, get_json_object(buyer, '$.country') AS country
FROM sales

-- %% with `WHERE amount IS NOT NULL`: every row
DROP VIEW IF EXISTS sales_vw;
CREATE TEMP VIEW sales_vw AS
SELECT file, sale_id, play, seats,
       coalesce(amount, try_cast(replace(coalesce(
           get_json_object(_rescued_data, '$.amount'), get_json_object(_rescued_data, '$.Amount')
       ), ' EUR', '') AS DECIMAL(8, 2))) AS amount,
       CAST(sold_at AS TIMESTAMP) AS sold_at, channel, get_json_object(buyer, '$.country') AS country
FROM sales WHERE amount IS NOT NULL

-- %% `DOUBLE` for `DECIMAL(8, 2)`: has the type double
DROP VIEW IF EXISTS sales_vw;
CREATE TEMP VIEW sales_vw AS
SELECT file, sale_id, play, seats,
       coalesce(amount, try_cast(replace(coalesce(
           get_json_object(_rescued_data, '$.amount'), get_json_object(_rescued_data, '$.Amount')
       ), ' EUR', '') AS DOUBLE)) AS amount,
       CAST(sold_at AS TIMESTAMP) AS sold_at, channel, get_json_object(buyer, '$.country') AS country
FROM sales

-- %% without `CAST(sold_at AS TIMESTAMP) AS`: has the type string
DROP VIEW IF EXISTS sales_vw;
CREATE TEMP VIEW sales_vw AS
SELECT file, sale_id, play, seats,
       coalesce(amount, try_cast(replace(coalesce(
           get_json_object(_rescued_data, '$.amount'), get_json_object(_rescued_data, '$.Amount')
       ), ' EUR', '') AS DECIMAL(8, 2))) AS amount,
       sold_at, channel, get_json_object(buyer, '$.country') AS country
FROM sales

-- %% `CAST` for `try_cast`: Which cast gives NULL
DROP VIEW IF EXISTS sales_vw;
CREATE TEMP VIEW sales_vw AS
SELECT file, sale_id, play, seats,
       coalesce(amount, CAST(replace(coalesce(
           get_json_object(_rescued_data, '$.amount'), get_json_object(_rescued_data, '$.Amount')
       ), ' EUR', '') AS DECIMAL(8, 2))) AS amount,
       CAST(sold_at AS TIMESTAMP) AS sold_at, channel, get_json_object(buyer, '$.country') AS country
FROM sales

-- %% `buyer` for `get_json_object(buyer, '$.country')`: `sales_vw`
DROP VIEW IF EXISTS sales_vw;
CREATE TEMP VIEW sales_vw AS
SELECT file, sale_id, play, seats,
       coalesce(amount, try_cast(replace(coalesce(
           get_json_object(_rescued_data, '$.amount'), get_json_object(_rescued_data, '$.Amount')
       ), ' EUR', '') AS DECIMAL(8, 2))) AS amount,
       CAST(sold_at AS TIMESTAMP) AS sold_at, channel, buyer AS country
FROM sales
