# %% `ward_run` for `ward`: read every file again
DA.exercise("05L.5")  # removes what an earlier attempt created

ward_run = (spark.table("last_readings_vw")
    .writeStream
    .outputMode("complete")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/ward_run")
    .trigger(availableNow=True)
    .toTable("ward_screen"))

# %% without `.trigger(availableNow=True)`: until the run ends
DA.exercise("05L.5")  # removes what an earlier attempt created

ward_run = (spark.table("last_readings_vw")
    .writeStream
    .outputMode("complete")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/ward")
    .toTable("ward_screen"))

# %% `processingTime="10 minutes"` for `availableNow=True`: until the run ends
DA.exercise("05L.5")  # removes what an earlier attempt created

ward_run = (spark.table("last_readings_vw")
    .writeStream
    .outputMode("complete")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/ward")
    .trigger(processingTime="10 minutes")
    .toTable("ward_screen"))

# %% `once` for `availableNow`: it is deprecated
DA.exercise("05L.5")  # removes what an earlier attempt created

ward_run = (spark.table("last_readings_vw")
    .writeStream
    .outputMode("complete")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/ward")
    .trigger(once=True)
    .toTable("ward_screen"))

# %% without `.outputMode("complete")`: rejects this output mode
DA.exercise("05L.5")  # removes what an earlier attempt created

ward_run = (spark.table("last_readings_vw")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/ward")
    .trigger(availableNow=True)
    .toTable("ward_screen"))
