# %% without `.dropDuplicates(["text"])`: a relay was restarted
DA.exercise("05X.1")  # removes what an earlier attempt created

receiver = (delivered
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/received")
    .trigger(availableNow=True)
    .toTable("received"))

# %% without `.trigger(availableNow=True)`: still running
DA.exercise("05X.1")  # removes what an earlier attempt created

receiver = (delivered
    .dropDuplicates(["text"])
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/received")
    .toTable("received"))

# %% real-time mode without the table: brings equal rows together
DA.exercise("05X.1")  # removes what an earlier attempt created

receiver = (delivered
    .dropDuplicates(["text"])
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/received")
    .trigger(realTime="5 seconds")
    .outputMode("update").foreach(print).start())

# %% duplicates removed per batch: ✗
DA.exercise("05X.1")  # removes what an earlier attempt created

def write_once(batch, batch_id):
    batch.dropDuplicates(["text"]).write.mode("append").saveAsTable("received")

receiver = (delivered
    .writeStream
    .foreachBatch(write_once)
    .option("checkpointLocation", f"{DA.paths.checkpoints}/received")
    .trigger(availableNow=True)
    .start())

# %% `relay-default` for `received`: ✗
DA.exercise("05X.1")  # removes what an earlier attempt created

receiver = (delivered
    .dropDuplicates(["text"])
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/relay-default")
    .trigger(availableNow=True)
    .toTable("received"))

# %% `format("noop").start(` for `toTable("received"`: no table `received`
DA.exercise("05X.1")  # removes what an earlier attempt created

receiver = (delivered
    .dropDuplicates(["text"])
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/received")
    .trigger(availableNow=True)
    .format("noop").start())

# %% without `batch.dropDuplicates()`: ✗
DA.exercise("05X.1")  # removes what an earlier attempt created

spark.sql("CREATE TABLE IF NOT EXISTS received (text STRING)")

def merge(batch, batch_id):
    batch.createOrReplaceTempView("batch_vw")
    batch.sparkSession.sql("""
        MERGE INTO received AS old USING batch_vw AS new ON old.text = new.text
        WHEN NOT MATCHED THEN INSERT *""")

receiver = (delivered.writeStream
    .foreachBatch(merge)
    .option("checkpointLocation", f"{DA.paths.checkpoints}/received")
    .trigger(availableNow=True)
    .start())
