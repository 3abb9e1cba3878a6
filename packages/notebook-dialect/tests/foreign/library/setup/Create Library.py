# Databricks notebook source
# MAGIC %md
# MAGIC ### The tables of the branch library, made anew at each run

# COMMAND ----------

CATALOG, SCHEMA = "branch", "lending"
CHECKPOINTS = f"/Volumes/{CATALOG}/{SCHEMA}/checkpoints"

spark.sql(f"CREATE CATALOG IF NOT EXISTS {CATALOG}")
spark.sql(f"USE CATALOG {CATALOG}")
for name in (SCHEMA, "reports"):
    spark.sql(f"CREATE SCHEMA IF NOT EXISTS {CATALOG}.{name}")
spark.sql(f"CREATE VOLUME IF NOT EXISTS {CATALOG}.{SCHEMA}.checkpoints")
spark.sql(f"CREATE VOLUME IF NOT EXISTS {CATALOG}.{SCHEMA}.landing")

# COMMAND ----------

for table in ("loans", "shelf", "late", "incoming"):
    spark.sql(f"DROP TABLE IF EXISTS {CATALOG}.{SCHEMA}.{table}")
for volume in ("checkpoints", "landing"):
    dbutils.fs.rm(f"/Volumes/{CATALOG}/{SCHEMA}/{volume}", recurse=True)
    spark.sql(f"CREATE VOLUME IF NOT EXISTS {CATALOG}.{SCHEMA}.{volume}")

# COMMAND ----------

spark.sql(f"""
    CREATE OR REPLACE TABLE {CATALOG}.{SCHEMA}.loans (
        loan STRING, book STRING, reader STRING, days INT, lent_at TIMESTAMP
    ) USING DELTA CLUSTER BY (book)
""")
spark.sql(f"""
    INSERT OVERWRITE {CATALOG}.{SCHEMA}.loans
    SELECT * FROM VALUES
        ('L1', 'Atlas', 'Ida', 12, TIMESTAMP '2026-03-01 09:00:00'),
        ('L2', 'Birds', NULL, 30, TIMESTAMP '2026-03-01 09:05:00'),
        ('L3', 'Atlas', 'Jon', -1, TIMESTAMP '2026-03-02 10:00:00'),
        ('L4', 'Clouds', 'Ida', 7, TIMESTAMP '2026-03-03 11:30:00')
    AS t(loan, book, reader, days, lent_at)
""")
spark.sql(f"CREATE OR REPLACE TABLE {CATALOG}.{SCHEMA}.shelf (book STRING, loans LONG, last_reader STRING) USING DELTA")
spark.sql(f"INSERT INTO {CATALOG}.{SCHEMA}.shelf VALUES ('Atlas', 5L, 'OLD'), ('Dunes', 1L, 'OLD')")
