# %% `DELETE` and `INSERT`
DA.exercise("06.3")  # removes what an earlier attempt created

spark.sql("CREATE TABLE device_totals (device_id INT, readings BIGINT)")


def merge_totals(changed, batch_id):
    changed.createOrReplaceTempView("changed")
    changed.sparkSession.sql("DELETE FROM device_totals WHERE device_id IN (SELECT device_id FROM changed)")
    changed.sparkSession.sql("INSERT INTO device_totals SELECT device_id, readings FROM changed")


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

# %% the merge of `DeltaTable`
DA.exercise("06.3")  # removes what an earlier attempt created

spark.sql("CREATE TABLE device_totals (device_id INT, readings BIGINT)")


from delta.tables import DeltaTable


def merge_totals(changed, batch_id):
    (DeltaTable.forName(changed.sparkSession, "device_totals").alias("old")
        .merge(changed.alias("new"), "old.device_id = new.device_id")
        .whenMatchedUpdateAll()
        .whenNotMatchedInsertAll()
        .execute())


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
