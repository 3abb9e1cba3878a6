-- The shop's lakehouse of lesson 15, in SQL. The setting `landing` says where the shop's files land.

CREATE OR REFRESH STREAMING TABLE sql_bronze_orders
COMMENT 'Every line as it came, and its file'
TBLPROPERTIES ('pipelines.reset.allowed' = 'false')
AS SELECT value, _metadata.file_name AS file_name FROM STREAM read_files('${landing}/orders', format => 'text');

CREATE TEMPORARY VIEW sql_customer_changes
AS SELECT * FROM STREAM read_files('${landing}/customer-changes', format => 'json', schema =>
    'sequence LONG, operation STRING, customer_id INT, name STRING, email STRING, country STRING, city STRING, segment STRING')
WHERE customer_id IS NOT NULL;

CREATE OR REFRESH STREAMING TABLE sql_customers;

CREATE FLOW sql_apply_changes AS AUTO CDC INTO sql_customers FROM STREAM(sql_customer_changes)
KEYS (customer_id) SEQUENCE BY sequence;

CREATE TEMPORARY VIEW sql_orders
AS SELECT order.* EXCEPT (ordered_at), try_to_timestamp(order.ordered_at) AS ordered_at, country,
    aggregate(order.items, CAST(0 AS DECIMAL(12, 2)),
        (sum, item) -> CAST(sum + item.quantity * item.price AS DECIMAL(12, 2))) AS revenue
FROM (
    SELECT from_json(value, 'order_id LONG, customer_id INT, ordered_at STRING, channel STRING,
        items ARRAY<STRUCT<sku: STRING, quantity: INT, price: DECIMAL(10, 2)>>, broken STRING',
        map('columnNameOfCorruptRecord', 'broken')) AS order
    FROM STREAM(sql_bronze_orders)) AS lines
LEFT JOIN (SELECT customer_id, coalesce(country, 'none') AS country FROM sql_customers) AS customers
ON lines.order.customer_id = customers.customer_id;

-- Databricks documents the expectations of a view for this older form, CREATE LIVE VIEW.
CREATE TEMPORARY LIVE VIEW sql_valid_orders (
    CONSTRAINT readable EXPECT (broken IS NULL AND order_id IS NOT NULL) ON VIOLATION DROP ROW,
    CONSTRAINT good_time EXPECT (ordered_at IS NOT NULL) ON VIOLATION DROP ROW,
    CONSTRAINT has_a_customer EXPECT (customer_id IS NOT NULL) ON VIOLATION DROP ROW,
    CONSTRAINT known_customer EXPECT (country IS NOT NULL) ON VIOLATION DROP ROW,
    CONSTRAINT has_items EXPECT (size(items) > 0 AND forall(items, item -> item.price IS NOT NULL)) ON VIOLATION DROP ROW,
    CONSTRAINT positive_quantities EXPECT (forall(items, item -> item.quantity > 0)) ON VIOLATION DROP ROW
)
AS SELECT * FROM STREAM(sql_orders);

CREATE OR REFRESH STREAMING TABLE sql_silver_orders;

CREATE FLOW sql_each_order_once AS AUTO CDC INTO sql_silver_orders FROM STREAM(sql_valid_orders)
KEYS (order_id) SEQUENCE BY ordered_at COLUMNS order_id, customer_id, country, ordered_at, channel, revenue;

CREATE OR REFRESH MATERIALIZED VIEW sql_gold_revenue
COMMENT 'Orders and revenue of each day and country'
AS SELECT date(ordered_at) AS day, country, count(*) AS orders, sum(revenue) AS revenue
FROM sql_silver_orders GROUP BY ALL;

CREATE OR REFRESH STREAMING TABLE sql_invoices (
    CONSTRAINT customer_is_still_here EXPECT (country <> 'none') ON VIOLATION FAIL UPDATE
)
AS SELECT order_id, customer_id, country FROM STREAM(sql_valid_orders);
