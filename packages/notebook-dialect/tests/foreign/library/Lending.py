# Databricks notebook source
# MAGIC %md
# MAGIC # Lending: catalogs, volumes, a stream that merges, files that are copied once

# COMMAND ----------

# MAGIC %run "./setup/Create Library"

# COMMAND ----------

from pyspark.sql import functions as F


def upsert_shelf(batch, batch_id):
    rows = batch.collect()
    kept = batch.sparkSession.createDataFrame(rows, batch.schema)
    good = kept.filter("days >= 0 AND reader IS NOT NULL")
    counts = good.groupBy("book").agg(F.count("*").alias("loans"), F.max_by("reader", "lent_at").alias("last_reader"))
    counts.createOrReplaceTempView("lending_batch")
    batch.sparkSession.sql(f"""
        MERGE INTO {CATALOG}.{SCHEMA}.shelf t USING lending_batch s ON t.book = s.book
        WHEN MATCHED THEN UPDATE SET loans = t.loans + s.loans, last_reader = s.last_reader
        WHEN NOT MATCHED THEN INSERT *
    """)
    bad = kept.subtract(good).withColumn("reason", F.when(F.col("days") < 0, "days").otherwise("reader"))
    bad.write.format("delta").mode("append").saveAsTable(f"{CATALOG}.{SCHEMA}.late")


def run_once():
    (
        spark.readStream.format("delta")
        .table(f"{CATALOG}.{SCHEMA}.loans")
        .writeStream.foreachBatch(upsert_shelf)
        .option("checkpointLocation", f"{CHECKPOINTS}/shelf")
        .trigger(availableNow=True)
        .start()
        .awaitTermination()
    )


run_once()
run_once()
shelf = spark.table(f"{CATALOG}.{SCHEMA}.shelf")
assert {row.book: row.loans for row in shelf.collect()} == {"Atlas": 6, "Clouds": 1, "Dunes": 1}
print("rejected:", sorted(row.reason for row in spark.table("lending.late").collect()))

# COMMAND ----------

dbutils.fs.put(f"/Volumes/{CATALOG}/{SCHEMA}/landing/monday.csv", "book,copies\nAtlas,2\nBirds,1\n", True)
dbutils.fs.put(f"/Volumes/{CATALOG}/{SCHEMA}/landing/tuesday.csv", "book,copies\nEchoes,4\n", True)

# COMMAND ----------

# MAGIC %sql
# MAGIC USE SCHEMA lending;
# MAGIC CREATE TABLE IF NOT EXISTS incoming;
# MAGIC COPY INTO incoming FROM '/Volumes/branch/lending/landing'
# MAGIC FILEFORMAT = CSV
# MAGIC FORMAT_OPTIONS ('header' = 'true', 'inferSchema' = 'true', 'mergeSchema' = 'true')
# MAGIC COPY_OPTIONS ('mergeSchema' = 'true')

# COMMAND ----------

# MAGIC %sql
# MAGIC COPY INTO incoming FROM '/Volumes/branch/lending/landing' FILEFORMAT = CSV
# MAGIC FORMAT_OPTIONS ('header' = 'true', 'inferSchema' = 'true') COPY_OPTIONS ('mergeSchema' = 'true')

# COMMAND ----------

print("copied:", spark.table("incoming").count(), "rows, again:", _sqldf.first().num_inserted_rows)

# COMMAND ----------

# MAGIC %sql
# MAGIC SELECT book, lent_at FROM loans QUALIFY row_number() OVER (PARTITION BY book ORDER BY lent_at DESC) = 1 ORDER BY book

# COMMAND ----------

print("latest:", [row.book for row in _sqldf.collect()])
tables = spark.sql("SELECT table_name FROM branch.information_schema.tables WHERE table_schema = 'lending' ORDER BY 1")
print("tables:", [row.table_name for row in tables.collect()])

# COMMAND ----------

# MAGIC %sql
# MAGIC UPDATE shelf SET loans = 0 WHERE book = 'Dunes';
# MAGIC RESTORE TABLE shelf TO VERSION AS OF 1;
# MAGIC CREATE OR REPLACE VIEW reports.readers AS SELECT reader, count(*) AS loans FROM branch.lending.loans GROUP BY reader;
# MAGIC GRANT SELECT ON VIEW branch.reports.readers TO `readers`;
# MAGIC DROP TABLE late;
# MAGIC UNDROP TABLE late

# COMMAND ----------

print("restored:", sorted(row.last_reader for row in spark.sql("SELECT * FROM shelf@v1").collect()))
print("kept:", spark.table("branch.lending.late").count(), "of the rejected")
dbutils.jobs.taskValues.set(key="loans", value=spark.table("loans").count())
print("task value:", dbutils.jobs.taskValues.get(taskKey="lending", key="loans", debugValue=4))

# COMMAND ----------

# MAGIC %sql
# MAGIC DROP CATALOG IF EXISTS branch CASCADE
