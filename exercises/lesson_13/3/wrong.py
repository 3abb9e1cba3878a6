# %% `other_silver` for `silver`: which was asked for
DA.exercise("13.3")  # removes what an earlier attempt created

spark.sql("""CREATE TABLE IF NOT EXISTS silver_deliveries (scan_id STRING, depot_id INT,
    region STRING, delivered_at TIMESTAMP, fee DECIMAL(8, 2))""")
spark.sql("""CREATE TABLE IF NOT EXISTS quarantine
    (reason STRING, value STRING, file_name STRING)""")


def insert_new(deliveries):
    deliveries.dropDuplicates(["scan_id"]).createOrReplaceTempView("new_deliveries")
    deliveries.sparkSession.sql("""
        MERGE INTO silver_deliveries AS old USING new_deliveries AS new ON old.scan_id = new.scan_id
        WHEN NOT MATCHED THEN INSERT (scan_id, depot_id, region, delivered_at, fee)
            VALUES (scan_id, depot_id, region, delivered_at, fee)
    """)


def split_batch(lines, batch_id):
    rows = checked(lines).localCheckpoint()
    insert_new(rows.where("reason IS NULL"))
    (rows.where("reason IS NOT NULL").select("reason", "value", "file_name")
        .write.mode("append").option("txnAppId", "quarantine").option("txnVersion", batch_id).saveAsTable("quarantine"))


def silver():
    query = (spark.readStream.table("bronze_deliveries").writeStream
        .foreachBatch(split_batch)
        .option("checkpointLocation", f"{DA.paths.checkpoints}/other_silver")
        .trigger(availableNow=True)
        .start())
    query.awaitTermination()


silver()

# %% without `dropDuplicates(["scan_id"]).`: more than once
DA.exercise("13.3")  # removes what an earlier attempt created

spark.sql("""CREATE TABLE IF NOT EXISTS silver_deliveries (scan_id STRING, depot_id INT,
    region STRING, delivered_at TIMESTAMP, fee DECIMAL(8, 2))""")
spark.sql("""CREATE TABLE IF NOT EXISTS quarantine
    (reason STRING, value STRING, file_name STRING)""")


def insert_new(deliveries):
    deliveries.createOrReplaceTempView("new_deliveries")
    deliveries.sparkSession.sql("""
        MERGE INTO silver_deliveries AS old USING new_deliveries AS new ON old.scan_id = new.scan_id
        WHEN NOT MATCHED THEN INSERT (scan_id, depot_id, region, delivered_at, fee)
            VALUES (scan_id, depot_id, region, delivered_at, fee)
    """)


def split_batch(lines, batch_id):
    rows = checked(lines).localCheckpoint()
    insert_new(rows.where("reason IS NULL"))
    (rows.where("reason IS NOT NULL").select("reason", "value", "file_name")
        .write.mode("append").option("txnAppId", "quarantine").option("txnVersion", batch_id).saveAsTable("quarantine"))


def silver():
    query = (spark.readStream.table("bronze_deliveries").writeStream
        .foreachBatch(split_batch)
        .option("checkpointLocation", f"{DA.paths.checkpoints}/silver")
        .trigger(availableNow=True)
        .start())
    query.awaitTermination()


silver()

# %% without `option("txnAppId", "quarantine").option("txnVersion", batch_id).`: two nights
DA.exercise("13.3")  # removes what an earlier attempt created

spark.sql("""CREATE TABLE IF NOT EXISTS silver_deliveries (scan_id STRING, depot_id INT,
    region STRING, delivered_at TIMESTAMP, fee DECIMAL(8, 2))""")
spark.sql("""CREATE TABLE IF NOT EXISTS quarantine
    (reason STRING, value STRING, file_name STRING)""")


def insert_new(deliveries):
    deliveries.dropDuplicates(["scan_id"]).createOrReplaceTempView("new_deliveries")
    deliveries.sparkSession.sql("""
        MERGE INTO silver_deliveries AS old USING new_deliveries AS new ON old.scan_id = new.scan_id
        WHEN NOT MATCHED THEN INSERT (scan_id, depot_id, region, delivered_at, fee)
            VALUES (scan_id, depot_id, region, delivered_at, fee)
    """)


def split_batch(lines, batch_id):
    rows = checked(lines).localCheckpoint()
    insert_new(rows.where("reason IS NULL"))
    (rows.where("reason IS NOT NULL").select("reason", "value", "file_name")
        .write.mode("append").saveAsTable("quarantine"))


def silver():
    query = (spark.readStream.table("bronze_deliveries").writeStream
        .foreachBatch(split_batch)
        .option("checkpointLocation", f"{DA.paths.checkpoints}/silver")
        .trigger(availableNow=True)
        .start())
    query.awaitTermination()


silver()

# %% appended, not merged: two nights
DA.exercise("13.3")  # removes what an earlier attempt created

spark.sql("""CREATE TABLE IF NOT EXISTS silver_deliveries (scan_id STRING, depot_id INT,
    region STRING, delivered_at TIMESTAMP, fee DECIMAL(8, 2))""")
spark.sql("""CREATE TABLE IF NOT EXISTS quarantine
    (reason STRING, value STRING, file_name STRING)""")


def insert_new(deliveries):
    deliveries.dropDuplicates(["scan_id"]).createOrReplaceTempView("new_deliveries")
    deliveries.sparkSession.sql("""
        MERGE INTO silver_deliveries AS old USING new_deliveries AS new ON old.scan_id = new.scan_id
        WHEN NOT MATCHED THEN INSERT (scan_id, depot_id, region, delivered_at, fee)
            VALUES (scan_id, depot_id, region, delivered_at, fee)
    """)


def split_batch(lines, batch_id):
    rows = checked(lines).localCheckpoint()
    unique = rows.where("reason IS NULL").dropDuplicates(["scan_id"])
    names = spark.table("silver_deliveries").columns
    unique.select(names).write.mode("append").saveAsTable("silver_deliveries")
    # insert_new(rows.where("reason IS NULL"))
    (rows.where("reason IS NOT NULL").select("reason", "value", "file_name")
        .write.mode("append").option("txnAppId", "quarantine").option("txnVersion", batch_id).saveAsTable("quarantine"))


def silver():
    query = (spark.readStream.table("bronze_deliveries").writeStream
        .foreachBatch(split_batch)
        .option("checkpointLocation", f"{DA.paths.checkpoints}/silver")
        .trigger(availableNow=True)
        .start())
    query.awaitTermination()


silver()

# %% bad lines without duplicates: twice in a file
DA.exercise("13.3")  # removes what an earlier attempt created

spark.sql("""CREATE TABLE IF NOT EXISTS silver_deliveries (scan_id STRING, depot_id INT,
    region STRING, delivered_at TIMESTAMP, fee DECIMAL(8, 2))""")
spark.sql("""CREATE TABLE IF NOT EXISTS quarantine
    (reason STRING, value STRING, file_name STRING)""")


def insert_new(deliveries):
    deliveries.dropDuplicates(["scan_id"]).createOrReplaceTempView("new_deliveries")
    deliveries.sparkSession.sql("""
        MERGE INTO silver_deliveries AS old USING new_deliveries AS new ON old.scan_id = new.scan_id
        WHEN NOT MATCHED THEN INSERT (scan_id, depot_id, region, delivered_at, fee)
            VALUES (scan_id, depot_id, region, delivered_at, fee)
    """)


def split_batch(lines, batch_id):
    rows = checked(lines).localCheckpoint()
    insert_new(rows.where("reason IS NULL"))
    rows.where("reason IS NOT NULL").dropDuplicates(["value", "file_name"]).createOrReplaceTempView("bad_lines")
    lines.sparkSession.sql("""
        MERGE INTO quarantine AS old USING bad_lines AS new
        ON old.value = new.value AND old.file_name = new.file_name
        WHEN NOT MATCHED THEN INSERT (reason, value, file_name) VALUES (reason, value, file_name)
    """)


def silver():
    query = (spark.readStream.table("bronze_deliveries").writeStream
        .foreachBatch(split_batch)
        .option("checkpointLocation", f"{DA.paths.checkpoints}/silver")
        .trigger(availableNow=True)
        .start())
    query.awaitTermination()


silver()

# %% `<> 'unknown depot'` for `IS NOT NULL`: quarantine
DA.exercise("13.3")  # removes what an earlier attempt created

spark.sql("""CREATE TABLE IF NOT EXISTS silver_deliveries (scan_id STRING, depot_id INT,
    region STRING, delivered_at TIMESTAMP, fee DECIMAL(8, 2))""")
spark.sql("""CREATE TABLE IF NOT EXISTS quarantine
    (reason STRING, value STRING, file_name STRING)""")


def insert_new(deliveries):
    deliveries.dropDuplicates(["scan_id"]).createOrReplaceTempView("new_deliveries")
    deliveries.sparkSession.sql("""
        MERGE INTO silver_deliveries AS old USING new_deliveries AS new ON old.scan_id = new.scan_id
        WHEN NOT MATCHED THEN INSERT (scan_id, depot_id, region, delivered_at, fee)
            VALUES (scan_id, depot_id, region, delivered_at, fee)
    """)


def split_batch(lines, batch_id):
    rows = checked(lines).localCheckpoint()
    insert_new(rows.where("reason IS NULL"))
    (rows.where("reason <> 'unknown depot'").select("reason", "value", "file_name")
        .write.mode("append").option("txnAppId", "quarantine").option("txnVersion", batch_id).saveAsTable("quarantine"))


def silver():
    query = (spark.readStream.table("bronze_deliveries").writeStream
        .foreachBatch(split_batch)
        .option("checkpointLocation", f"{DA.paths.checkpoints}/silver")
        .trigger(availableNow=True)
        .start())
    query.awaitTermination()


silver()

# %% without `.trigger(availableNow=True)`, without `query.awaitTermination()`: still running
DA.exercise("13.3")  # removes what an earlier attempt created

spark.sql("""CREATE TABLE IF NOT EXISTS silver_deliveries (scan_id STRING, depot_id INT,
    region STRING, delivered_at TIMESTAMP, fee DECIMAL(8, 2))""")
spark.sql("""CREATE TABLE IF NOT EXISTS quarantine
    (reason STRING, value STRING, file_name STRING)""")


def insert_new(deliveries):
    deliveries.dropDuplicates(["scan_id"]).createOrReplaceTempView("new_deliveries")
    deliveries.sparkSession.sql("""
        MERGE INTO silver_deliveries AS old USING new_deliveries AS new ON old.scan_id = new.scan_id
        WHEN NOT MATCHED THEN INSERT (scan_id, depot_id, region, delivered_at, fee)
            VALUES (scan_id, depot_id, region, delivered_at, fee)
    """)


def split_batch(lines, batch_id):
    rows = checked(lines).localCheckpoint()
    insert_new(rows.where("reason IS NULL"))
    (rows.where("reason IS NOT NULL").select("reason", "value", "file_name")
        .write.mode("append").option("txnAppId", "quarantine").option("txnVersion", batch_id).saveAsTable("quarantine"))


def silver():
    query = (spark.readStream.table("bronze_deliveries").writeStream
        .foreachBatch(split_batch)
        .option("checkpointLocation", f"{DA.paths.checkpoints}/silver")
        .start())


silver()
