# %% without `.option("txnAppId", "ward-alarms")` to `.option("txnVersion", batch_id)`: it writes the rows again
DA.exercise("04.2")  # removes what an earlier attempt created

def append_alarms(batch, batch_id):
    (batch.write
        .mode("append")
        .saveAsTable("alarms"))

alarms_stream = (readings
    .where("heartrate > 112")
    .writeStream
    .foreachBatch(append_alarms)
    .option("checkpointLocation", f"{DA.paths.checkpoints}/alarms")
    .trigger(availableNow=True)
    .start())

# %% a constant `txnVersion`: it writes the rows again
DA.exercise("04.2")  # removes what an earlier attempt created

def append_alarms(batch, batch_id):
    (batch.write
        .mode("append")
        .saveAsTable("alarms"))

alarms_stream = (readings
    .where("heartrate > 112")
    .writeStream
    .foreachBatch(append_alarms)
    .option("checkpointLocation", f"{DA.paths.checkpoints}/alarms")
    .option("txnAppId", "ward-alarms")
    .option("txnVersion", 0)
    .trigger(availableNow=True)
    .start())

# %% `.option("txnVersion", 1)`: the first batch only
DA.exercise("04.2")  # removes what an earlier attempt created

def append_alarms(batch, batch_id):
    (batch.write
        .option("txnAppId", "ward-alarms")
        .option("txnVersion", 1)
        .mode("append")
        .saveAsTable("alarms"))

alarms_stream = (readings
    .where("heartrate > 112")
    .writeStream
    .foreachBatch(append_alarms)
    .option("checkpointLocation", f"{DA.paths.checkpoints}/alarms")
    .trigger(availableNow=True)
    .start())

# %% `overwrite` for `append`: the last batch only
DA.exercise("04.2")  # removes what an earlier attempt created

def append_alarms(batch, batch_id):
    (batch.write
        .option("txnAppId", "ward-alarms")
        .option("txnVersion", batch_id)
        .mode("overwrite")
        .saveAsTable("alarms"))

alarms_stream = (readings
    .where("heartrate > 112")
    .writeStream
    .foreachBatch(append_alarms)
    .option("checkpointLocation", f"{DA.paths.checkpoints}/alarms")
    .trigger(availableNow=True)
    .start())

# %% a MERGE by time alone: an alarm of the same second
DA.exercise("04.2")  # removes what an earlier attempt created

def append_alarms(batch, batch_id):
    if not batch.sparkSession.catalog.tableExists("alarms"):
        batch.limit(0).write.saveAsTable("alarms")
    batch.createOrReplaceTempView("batch_vw")
    batch.sparkSession.sql("""
        MERGE INTO alarms AS old USING batch_vw AS new ON old.time = new.time
        WHEN NOT MATCHED THEN INSERT *""")


alarms_stream = (readings
    .where("heartrate > 112")
    .writeStream
    .foreachBatch(append_alarms)
    .option("checkpointLocation", f"{DA.paths.checkpoints}/alarms")
    .trigger(availableNow=True)
    .start())

# %% without `.where("heartrate > 112")`: has every reading
DA.exercise("04.2")  # removes what an earlier attempt created

def append_alarms(batch, batch_id):
    (batch.write
        .option("txnAppId", "ward-alarms")
        .option("txnVersion", batch_id)
        .mode("append")
        .saveAsTable("alarms"))

alarms_stream = (readings
    .writeStream
    .foreachBatch(append_alarms)
    .option("checkpointLocation", f"{DA.paths.checkpoints}/alarms")
    .trigger(availableNow=True)
    .start())

# %% without `.foreachBatch(append_alarms)`, `toTable("alarms"` for `start(`: `toTable` is exactly-once by itself
DA.exercise("04.2")  # removes what an earlier attempt created

def append_alarms(batch, batch_id):
    (batch.write
        .option("txnAppId", "ward-alarms")
        .option("txnVersion", batch_id)
        .mode("append")
        .saveAsTable("alarms"))

alarms_stream = (readings
    .where("heartrate > 112")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/alarms")
    .trigger(availableNow=True)
    .toTable("alarms"))

# %% without `.option("txnAppId", "ward-alarms")`: has failed
DA.exercise("04.2")  # removes what an earlier attempt created

def append_alarms(batch, batch_id):
    (batch.write
        .option("txnVersion", batch_id)
        .mode("append")
        .saveAsTable("alarms"))

alarms_stream = (readings
    .where("heartrate > 112")
    .writeStream
    .foreachBatch(append_alarms)
    .option("checkpointLocation", f"{DA.paths.checkpoints}/alarms")
    .trigger(availableNow=True)
    .start())

# %% without `.option("checkpointLocation", ...)`: temporary one
DA.exercise("04.2")  # removes what an earlier attempt created

def append_alarms(batch, batch_id):
    (batch.write
        .option("txnAppId", "ward-alarms")
        .option("txnVersion", batch_id)
        .mode("append")
        .saveAsTable("alarms"))

alarms_stream = (readings
    .where("heartrate > 112")
    .writeStream
    .foreachBatch(append_alarms)
    .trigger(availableNow=True)
    .start())

# %% `(append_alarms())` for `(append_alarms)`: raised an error
DA.exercise("04.2")  # removes what an earlier attempt created

def append_alarms(batch, batch_id):
    (batch.write
        .option("txnAppId", "ward-alarms")
        .option("txnVersion", batch_id)
        .mode("append")
        .saveAsTable("alarms"))

alarms_stream = (readings
    .where("heartrate > 112")
    .writeStream
    .foreachBatch(append_alarms())
    .option("checkpointLocation", f"{DA.paths.checkpoints}/alarms")
    .trigger(availableNow=True)
    .start())

# %% without `.trigger(availableNow=True)`: still running
DA.exercise("04.2")  # removes what an earlier attempt created

def append_alarms(batch, batch_id):
    (batch.write
        .option("txnAppId", "ward-alarms")
        .option("txnVersion", batch_id)
        .mode("append")
        .saveAsTable("alarms"))

alarms_stream = (readings
    .where("heartrate > 112")
    .writeStream
    .foreachBatch(append_alarms)
    .option("checkpointLocation", f"{DA.paths.checkpoints}/alarms")
    .start())
