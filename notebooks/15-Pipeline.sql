-- The shop's lakehouse of lesson 15, in SQL. The setting `landing` says where the shop's files land.

CREATE OR REFRESH STREAMING TABLE sql_bronze_orders
COMMENT 'Every line as it came, and the file that brought it'
AS SELECT value, _metadata.file_name AS file_name FROM STREAM read_files('${landing}/orders', format => 'text');

CREATE TEMPORARY VIEW sql_orders
AS SELECT order.* FROM (
    SELECT from_json(value, 'order_id LONG, customer_id INT, ordered_at TIMESTAMP, channel STRING, coupon STRING,
        items ARRAY<STRUCT<sku: STRING, quantity: INT, price: DECIMAL(10, 2)>>') AS order
    FROM STREAM(sql_bronze_orders));

CREATE OR REFRESH STREAMING TABLE sql_silver_orders (
    CONSTRAINT has_a_customer EXPECT (customer_id IS NOT NULL),
    CONSTRAINT readable EXPECT (order_id IS NOT NULL) ON VIOLATION DROP ROW,
    CONSTRAINT in_2025 EXPECT (year(ordered_at) = 2025) ON VIOLATION DROP ROW,
    CONSTRAINT positive_quantities EXPECT (forall(items, item -> item.quantity > 0)) ON VIOLATION DROP ROW
)
AS SELECT * FROM STREAM(sql_orders);

CREATE OR REFRESH MATERIALIZED VIEW sql_gold_orders
COMMENT 'Orders of each day and channel'
AS SELECT date(ordered_at) AS day, channel, count(*) AS orders FROM sql_silver_orders GROUP BY ALL;

CREATE OR REFRESH STREAMING TABLE sql_invoices (
    CONSTRAINT has_a_customer EXPECT (customer_id IS NOT NULL) ON VIOLATION FAIL UPDATE
)
AS SELECT order_id, customer_id, ordered_at FROM STREAM(sql_silver_orders);
