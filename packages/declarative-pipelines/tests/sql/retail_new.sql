USE CATALOG spark_catalog;
USE SCHEMA shop;

CREATE OR REFRESH STREAMING TABLE clicks
  (event_time TIMESTAMP, session_id STRING, tags MAP<STRING, ARRAY<STRING>>, CONSTRAINT timed EXPECT (event_time IS NOT NULL))
USING DELTA
CLUSTER BY (session_id, event_time)
COMMENT 'every click'
AS SELECT * FROM STREAM read_files('/landing/clicks', format => 'json', schemaHints => 'event_time TIMESTAMP');

CREATE OR REPLACE PRIVATE STREAMING TABLE sessions CLUSTER BY AUTO AS
SELECT window(event_time, '30 minutes'), session_id, count(*) AS clicks
FROM STREAM clicks WATERMARK event_time DELAY OF INTERVAL 10 MINUTES
GROUP BY 1, 2;

CREATE MATERIALIZED VIEW IF NOT EXISTS shop.prices AS SELECT * FROM read_files('/prices', format => 'csv', header => true) p
JOIN STREAM(read_files('/live/rates')) r ON p.sku = r.sku;

CREATE STREAMING TABLE all_orders (order_id LONG, region STRING);
CREATE FLOW north COMMENT 'the old shop' AS INSERT INTO all_orders BY NAME SELECT order_id, 'north' AS region FROM STREAM(orders_north);
CREATE FLOW archive AS INSERT INTO ONCE all_orders BY NAME SELECT order_id, 'archive' AS region FROM orders_archive;
