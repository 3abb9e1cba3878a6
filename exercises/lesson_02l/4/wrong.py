# %% without `.queryName("activity_to_log")`: has no name
DA.exercise("02L.4")  # removes what an earlier attempt created

log = (spark.table("activity_vw")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/activity_log")
    .trigger(processingTime="1 second")
    .toTable("activity_log"))

# %% `.queryName("log")`: is called `log`
DA.exercise("02L.4")  # removes what an earlier attempt created

log = (spark.table("activity_vw")
    .writeStream
    .queryName("log")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/activity_log")
    .trigger(processingTime="1 second")
    .toTable("activity_log"))

# %% without `.trigger(processingTime="1 second")`: has no interval
DA.exercise("02L.4")  # removes what an earlier attempt created

log = (spark.table("activity_vw")
    .writeStream
    .queryName("activity_to_log")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/activity_log")
    .toTable("activity_log"))

# %% `availableNow=True` for `processingTime="1 second"`: must keep running
DA.exercise("02L.4")  # removes what an earlier attempt created

log = (spark.table("activity_vw")
    .writeStream
    .queryName("activity_to_log")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/activity_log")
    .trigger(availableNow=True)
    .toTable("activity_log"))

# %% `minute` for `second`: every 60 seconds
DA.exercise("02L.4")  # removes what an earlier attempt created

log = (spark.table("activity_vw")
    .writeStream
    .queryName("activity_to_log")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/activity_log")
    .trigger(processingTime="1 minute")
    .toTable("activity_log"))

# %% `.option("checkpointLocation", f"{DA.paths.checkpoints}/log")`: is `log`
DA.exercise("02L.4")  # removes what an earlier attempt created

log = (spark.table("activity_vw")
    .writeStream
    .queryName("activity_to_log")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/log")
    .trigger(processingTime="1 second")
    .toTable("activity_log"))

# %% without `.option("checkpointLocation", ...)`: raised an error
DA.exercise("02L.4")  # removes what an earlier attempt created

log = (spark.table("activity_vw")
    .writeStream
    .queryName("activity_to_log")
    .trigger(processingTime="1 second")
    .toTable("activity_log"))

# %% `recordings_vw` for `activity_vw`: has the columns of the files
DA.exercise("02L.4")  # removes what an earlier attempt created

log = (spark.table("recordings_vw")
    .writeStream
    .queryName("activity_to_log")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/activity_log")
    .trigger(processingTime="1 second")
    .toTable("activity_log"))

# %% `format("noop").start(` for `toTable("activity_log"`: no table
DA.exercise("02L.4")  # removes what an earlier attempt created

log = (spark.table("activity_vw")
    .writeStream
    .queryName("activity_to_log")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/activity_log")
    .trigger(processingTime="1 second")
    .format("noop").start())

# %% with `log.stop()`: has been stopped
DA.exercise("02L.4")  # removes what an earlier attempt created

log = (spark.table("activity_vw")
    .writeStream
    .queryName("activity_to_log")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/activity_log")
    .trigger(processingTime="1 second")
    .toTable("activity_log"))
log.stop()

# %% with `.outputMode("complete")`: error
DA.exercise("02L.4")  # removes what an earlier attempt created

log = (spark.table("activity_vw")
    .writeStream
    .outputMode("complete")
    .queryName("activity_to_log")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/activity_log")
    .trigger(processingTime="1 second")
    .toTable("activity_log"))
