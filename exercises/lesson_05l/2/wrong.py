# %% without `.trigger(processingTime="2 seconds")`: which nobody sees
DA.exercise("05L.2")  # removes what an earlier attempt created

ward = (spark.table("last_readings_vw")
    .writeStream
    .outputMode("complete")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/ward")
    .toTable("ward_screen"))

# %% `availableNow=True` for `processingTime="2 seconds"`: a job that ends
DA.exercise("05L.2")  # removes what an earlier attempt created

ward = (spark.table("last_readings_vw")
    .writeStream
    .outputMode("complete")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/ward")
    .trigger(availableNow=True)
    .toTable("ward_screen"))

# %% `="10 seconds"` for `="2 seconds"`: could wait for 10 seconds
DA.exercise("05L.2")  # removes what an earlier attempt created

ward = (spark.table("last_readings_vw")
    .writeStream
    .outputMode("complete")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/ward")
    .trigger(processingTime="10 seconds")
    .toTable("ward_screen"))

# %% without `.outputMode("complete")`: rejects this output mode
DA.exercise("05L.2")  # removes what an earlier attempt created

ward = (spark.table("last_readings_vw")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/ward")
    .trigger(processingTime="2 seconds")
    .toTable("ward_screen"))

# %% `update` for `complete`: rejects this output mode
DA.exercise("05L.2")  # removes what an earlier attempt created

ward = (spark.table("last_readings_vw")
    .writeStream
    .outputMode("update")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/ward")
    .trigger(processingTime="2 seconds")
    .toTable("ward_screen"))

# %% `screen` for `ward`: `ward` was asked for
DA.exercise("05L.2")  # removes what an earlier attempt created

ward = (spark.table("last_readings_vw")
    .writeStream
    .outputMode("complete")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/screen")
    .trigger(processingTime="2 seconds")
    .toTable("ward_screen"))

# %% with `ward.stop()`: was stopped
DA.exercise("05L.2")  # removes what an earlier attempt created

ward = (spark.table("last_readings_vw")
    .writeStream
    .outputMode("complete")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/ward")
    .trigger(processingTime="2 seconds")
    .toTable("ward_screen"))
ward.stop()
