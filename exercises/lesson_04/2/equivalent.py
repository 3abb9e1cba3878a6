# %% `filter` for `where`
DA.exercise("04.2")  # removes what an earlier attempt created

def append_alarms(batch, batch_id):
    (batch.write
        .option("txnAppId", "ward-alarms")
        .option("txnVersion", batch_id)
        .mode("append")
        .saveAsTable("alarms"))

alarms_stream = (readings
    .filter("112 < heartrate")
    .writeStream
    .foreachBatch(append_alarms)
    .option("checkpointLocation", f"{DA.paths.checkpoints}/alarms")
    .trigger(availableNow=True)
    .start())

# %% another application id
DA.exercise("04.2")  # removes what an earlier attempt created

def append_alarms(batch, batch_id):
    (batch.write
        .option("txnAppId", "mine")
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
