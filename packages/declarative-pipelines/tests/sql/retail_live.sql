-- The shop's pipeline as it was written first; LIVE. is in this comment; and a ';' too.
SET shop.minimum = 5;

CREATE OR REFRESH STREAMING LIVE TABLE orders_raw
COMMENT "Orders; exactly as LIVE.shop delivered them"
TBLPROPERTIES ("quality" = "bronze", pipelines.reset.allowed = false)
AS SELECT *, _metadata.file_name AS file
FROM cloud_files(
  "/landing/orders", "json",
  map("cloudFiles.inferColumnTypes", "true")
);

CREATE INCREMENTAL LIVE TABLE orders_clean (
  order_id LONG NOT NULL COMMENT 'the shop''s own; never (re)used',
  items ARRAY<STRUCT<sku: STRING, quantity: INT>>,
  total DECIMAL(10, 2),
  CONSTRAINT known_order EXPECT (order_id IS NOT NULL) ON VIOLATION FAIL UPDATE,
  CONSTRAINT `has items; (some)` EXPECT (size(items) > 0 AND note <> ')' AND note <> 'CONSTRAINT x EXPECT') ON VIOLATION DROP ROW
  CONSTRAINT enough EXPECT (total >= ${shop.minimum})
)
PARTITIONED BY (order_day)
AS SELECT o.*, c.segment, 'LIVE.orders_raw' AS origin /* FROM LIVE.nowhere; */
FROM STREAM(LIVE.orders_raw) o
LEFT JOIN LIVE.customers c -- LIVE.customers is small
  ON o.customer_id = c.customer_id AND c.`LIVE.x` IS NULL;

CREATE LIVE TABLE customers
AS SELECT * FROM csv.`/datasets/customers;LIVE.csv`;

CREATE TEMPORARY LIVE VIEW big_orders AS SELECT * FROM live . orders_clean WHERE total > 100;
CREATE LIVE TABLE revenue AS
WITH days AS (SELECT order_day, sum(total) AS total FROM LIVE.big_orders GROUP BY order_day)
SELECT * FROM days
