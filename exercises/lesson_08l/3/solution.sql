DROP VIEW IF EXISTS sales_vw;
CREATE TEMP VIEW sales_vw AS
SELECT file, sale_id, play, seats,
       coalesce(amount, try_cast(replace(coalesce(
           get_json_object(_rescued_data, '$.amount'),
           get_json_object(_rescued_data, '$.Amount')
       ), ' EUR', '') AS DECIMAL(8, 2))) AS amount,
       CAST(sold_at AS TIMESTAMP) AS sold_at, channel,
       get_json_object(buyer, '$.country') AS country
FROM sales
