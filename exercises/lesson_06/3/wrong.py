# %% appended, not merged: rows for 12 devices
DA.exercise("06.3")  # removes what an earlier attempt created

spark.sql("CREATE TABLE device_totals (device_id INT, readings BIGINT)")


def merge_totals(changed, batch_id):
    changed.write.mode("append").saveAsTable("device_totals")


totals = (spark.readStream
    .option("maxFilesPerTrigger", 3)
    .table("bronze")
    .groupBy("device_id")
    .agg(F.count("*").alias("readings"))
    .writeStream
    .outputMode("update")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/device_totals")
    .foreachBatch(merge_totals)
    .trigger(availableNow=True)
    .start())

# %% overwritten, not merged: right by chance
DA.exercise("06.3")  # removes what an earlier attempt created

spark.sql("CREATE TABLE device_totals (device_id INT, readings BIGINT)")


def merge_totals(changed, batch_id):
    changed.write.mode("overwrite").saveAsTable("device_totals")


totals = (spark.readStream
    .option("maxFilesPerTrigger", 3)
    .table("bronze")
    .groupBy("device_id")
    .agg(F.count("*").alias("readings"))
    .writeStream
    .outputMode("update")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/device_totals")
    .foreachBatch(merge_totals)
    .trigger(availableNow=True)
    .start())

# %% `readings = old.readings + new.readings` for `*`: too high
DA.exercise("06.3")  # removes what an earlier attempt created

spark.sql("CREATE TABLE device_totals (device_id INT, readings BIGINT)")


def merge_totals(changed, batch_id):
    changed.createOrReplaceTempView("changed")
    changed.sparkSession.sql("""
        MERGE INTO device_totals AS old USING changed AS new ON old.device_id = new.device_id
        WHEN MATCHED THEN UPDATE SET readings = old.readings + new.readings
        WHEN NOT MATCHED THEN INSERT *""")


totals = (spark.readStream
    .option("maxFilesPerTrigger", 3)
    .table("bronze")
    .groupBy("device_id")
    .agg(F.count("*").alias("readings"))
    .writeStream
    .outputMode("update")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/device_totals")
    .foreachBatch(merge_totals)
    .trigger(availableNow=True)
    .start())

# %% without `.outputMode("update")`: a count is never final
DA.exercise("06.3")  # removes what an earlier attempt created

spark.sql("CREATE TABLE device_totals (device_id INT, readings BIGINT)")


def merge_totals(changed, batch_id):
    changed.createOrReplaceTempView("changed")
    changed.sparkSession.sql("""
        MERGE INTO device_totals AS old USING changed AS new ON old.device_id = new.device_id
        WHEN MATCHED THEN UPDATE SET *
        WHEN NOT MATCHED THEN INSERT *""")


totals = (spark.readStream
    .option("maxFilesPerTrigger", 3)
    .table("bronze")
    .groupBy("device_id")
    .agg(F.count("*").alias("readings"))
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/device_totals")
    .foreachBatch(merge_totals)
    .trigger(availableNow=True)
    .start())

# %% `complete` for `update`: every device in each batch
DA.exercise("06.3")  # removes what an earlier attempt created

spark.sql("CREATE TABLE device_totals (device_id INT, readings BIGINT)")


def merge_totals(changed, batch_id):
    changed.createOrReplaceTempView("changed")
    changed.sparkSession.sql("""
        MERGE INTO device_totals AS old USING changed AS new ON old.device_id = new.device_id
        WHEN MATCHED THEN UPDATE SET *
        WHEN NOT MATCHED THEN INSERT *""")


totals = (spark.readStream
    .option("maxFilesPerTrigger", 3)
    .table("bronze")
    .groupBy("device_id")
    .agg(F.count("*").alias("readings"))
    .writeStream
    .outputMode("complete")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/device_totals")
    .foreachBatch(merge_totals)
    .trigger(availableNow=True)
    .start())

# %% an empty function: does nothing with the rows
DA.exercise("06.3")  # removes what an earlier attempt created

spark.sql("CREATE TABLE device_totals (device_id INT, readings BIGINT)")


def merge_totals(changed, batch_id):
    pass


totals = (spark.readStream
    .option("maxFilesPerTrigger", 3)
    .table("bronze")
    .groupBy("device_id")
    .agg(F.count("*").alias("readings"))
    .writeStream
    .outputMode("update")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/device_totals")
    .foreachBatch(merge_totals)
    .trigger(availableNow=True)
    .start())

# %% without `.option("maxFilesPerTrigger", 3)`: One batch has read
DA.exercise("06.3")  # removes what an earlier attempt created

spark.sql("CREATE TABLE device_totals (device_id INT, readings BIGINT)")


def merge_totals(changed, batch_id):
    changed.createOrReplaceTempView("changed")
    changed.sparkSession.sql("""
        MERGE INTO device_totals AS old USING changed AS new ON old.device_id = new.device_id
        WHEN MATCHED THEN UPDATE SET *
        WHEN NOT MATCHED THEN INSERT *""")


totals = (spark.readStream
    .table("bronze")
    .groupBy("device_id")
    .agg(F.count("*").alias("readings"))
    .writeStream
    .outputMode("update")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/device_totals")
    .foreachBatch(merge_totals)
    .trigger(availableNow=True)
    .start())

# %% without `.option("checkpointLocation", ...)`: no checkpoint that lasts
DA.exercise("06.3")  # removes what an earlier attempt created

spark.sql("CREATE TABLE device_totals (device_id INT, readings BIGINT)")


def merge_totals(changed, batch_id):
    changed.createOrReplaceTempView("changed")
    changed.sparkSession.sql("""
        MERGE INTO device_totals AS old USING changed AS new ON old.device_id = new.device_id
        WHEN MATCHED THEN UPDATE SET *
        WHEN NOT MATCHED THEN INSERT *""")


totals = (spark.readStream
    .option("maxFilesPerTrigger", 3)
    .table("bronze")
    .groupBy("device_id")
    .agg(F.count("*").alias("readings"))
    .writeStream
    .outputMode("update")
    .foreachBatch(merge_totals)
    .trigger(availableNow=True)
    .start())

# %% without `.trigger(availableNow=True)`: still running
DA.exercise("06.3")  # removes what an earlier attempt created

spark.sql("CREATE TABLE device_totals (device_id INT, readings BIGINT)")


def merge_totals(changed, batch_id):
    changed.createOrReplaceTempView("changed")
    changed.sparkSession.sql("""
        MERGE INTO device_totals AS old USING changed AS new ON old.device_id = new.device_id
        WHEN MATCHED THEN UPDATE SET *
        WHEN NOT MATCHED THEN INSERT *""")


totals = (spark.readStream
    .option("maxFilesPerTrigger", 3)
    .table("bronze")
    .groupBy("device_id")
    .agg(F.count("*").alias("readings"))
    .writeStream
    .outputMode("update")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/device_totals")
    .foreachBatch(merge_totals)
    .start())

# %% without `spark.sql("CREATE TABLE device_totals ...`: Your stream has failed
DA.exercise("06.3")  # removes what an earlier attempt created



def merge_totals(changed, batch_id):
    changed.createOrReplaceTempView("changed")
    changed.sparkSession.sql("""
        MERGE INTO device_totals AS old USING changed AS new ON old.device_id = new.device_id
        WHEN MATCHED THEN UPDATE SET *
        WHEN NOT MATCHED THEN INSERT *""")


totals = (spark.readStream
    .option("maxFilesPerTrigger", 3)
    .table("bronze")
    .groupBy("device_id")
    .agg(F.count("*").alias("readings"))
    .writeStream
    .outputMode("update")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/device_totals")
    .foreachBatch(merge_totals)
    .trigger(availableNow=True)
    .start())
