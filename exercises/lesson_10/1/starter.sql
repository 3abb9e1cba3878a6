CREATE OR REPLACE TABLE kept_once (transaction_id STRING, amount DOUBLE);
MERGE INTO kept_once
USING (SELECT DISTINCT transaction_id, amount FROM arrived_vw) AS new
ON kept_once.transaction_id = new.transaction_id
WHEN MATCHED THEN UPDATE SET *
