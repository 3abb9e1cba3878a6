CREATE OR REFRESH STREAMING LIVE TABLE customers;

APPLY CHANGES INTO LIVE.customers
FROM STREAM(LIVE.customer_feed)
KEYS (customer_id, `shop id`)
IGNORE NULL UPDATES
APPLY AS DELETE WHEN operation = 'DELETE' AND note <> 'SEQUENCE BY x'
APPLY AS TRUNCATE WHEN operation = "TRUNCATE"
SEQUENCE BY struct(changed_at, sequence)
COLUMNS * EXCEPT (operation, sequence);

CREATE STREAMING TABLE history COMMENT 'all versions'
FLOW AUTO CDC FROM STREAM customer_feed
KEYS (customer_id) SEQUENCE BY sequence COLUMNS customer_id, name, city
STORED AS SCD TYPE 2 TRACK HISTORY ON * EXCEPT (name);

CREATE FLOW second AS AUTO CDC ONCE INTO history FROM customer_archive
KEYS (customer_id) SEQUENCE BY sequence STORED AS SCD TYPE 2 TRACK HISTORY ON (city);

CREATE FLOW files AS AUTO CDC INTO customers FROM STREAM read_files('/changes', format => 'json')
KEYS (customer_id) SEQUENCE BY sequence;
