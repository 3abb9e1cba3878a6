-- %% without `DISTINCT`: more than once
CREATE OR REPLACE TABLE kept_once (transaction_id STRING, amount DOUBLE);
MERGE INTO kept_once
USING (SELECT transaction_id, amount FROM arrived_vw) AS new
ON kept_once.transaction_id = new.transaction_id
WHEN NOT MATCHED THEN INSERT *

-- %% the id alone is inserted: have no amount
CREATE OR REPLACE TABLE kept_once (transaction_id STRING, amount DOUBLE);
MERGE INTO kept_once
USING (SELECT DISTINCT transaction_id, amount FROM arrived_vw) AS new
ON kept_once.transaction_id = new.transaction_id
WHEN NOT MATCHED THEN INSERT (transaction_id) VALUES (new.transaction_id)

-- %% with a condition: are missing
CREATE OR REPLACE TABLE kept_once (transaction_id STRING, amount DOUBLE);
MERGE INTO kept_once
USING (SELECT DISTINCT transaction_id, amount FROM arrived_vw) AS new
ON kept_once.transaction_id = new.transaction_id
WHEN NOT MATCHED AND new.amount > 100 THEN INSERT *
