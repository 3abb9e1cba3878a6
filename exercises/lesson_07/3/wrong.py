# %% with `dbutils.fs.cp(checkpoint, ...`: or a copy of it
DA.exercise("07.3")  # removes what an earlier attempt created

dbutils.fs.cp(checkpoint, f"{DA.paths.checkpoints}/corrected", recurse=True)

corrected = (readings.where("heartrate >= 0")
    .groupBy("device_id")
    .count()
    .writeStream
    .outputMode("complete")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/corrected")
    .trigger(availableNow=True)
    .toTable("corrected_counts"))

# %% `checkpoint` for `f"{DA.paths.checkpoints}/corrected"`: old checkpoint
DA.exercise("07.3")  # removes what an earlier attempt created

corrected = (readings.where("heartrate >= 0")
    .groupBy("device_id")
    .count()
    .writeStream
    .outputMode("complete")
    .option("checkpointLocation", checkpoint)
    .trigger(availableNow=True)
    .toTable("corrected_counts"))

# %% without `.where("heartrate >= 0")`: still counted
DA.exercise("07.3")  # removes what an earlier attempt created

corrected = (readings
    .groupBy("device_id")
    .count()
    .writeStream
    .outputMode("complete")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/corrected")
    .trigger(availableNow=True)
    .toTable("corrected_counts"))

# %% without `.where("heartrate >= 0")`, with `.where("count >= 0")`: before the `groupBy`
DA.exercise("07.3")  # removes what an earlier attempt created

corrected = (readings
    .groupBy("device_id")
    .count()
    .where("count >= 0")
    .writeStream
    .outputMode("complete")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/corrected")
    .trigger(availableNow=True)
    .toTable("corrected_counts"))

# %% without `.outputMode("complete")`: a count is never final
DA.exercise("07.3")  # removes what an earlier attempt created

corrected = (readings.where("heartrate >= 0")
    .groupBy("device_id")
    .count()
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/corrected")
    .trigger(availableNow=True)
    .toTable("corrected_counts"))

# %% without `.trigger(availableNow=True)`: still running
DA.exercise("07.3")  # removes what an earlier attempt created

corrected = (readings.where("heartrate >= 0")
    .groupBy("device_id")
    .count()
    .writeStream
    .outputMode("complete")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/corrected")
    .toTable("corrected_counts"))

# %% `good_counts` for `corrected`: was asked for
DA.exercise("07.3")  # removes what an earlier attempt created

corrected = (readings.where("heartrate >= 0")
    .groupBy("device_id")
    .count()
    .writeStream
    .outputMode("complete")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/good_counts")
    .trigger(availableNow=True)
    .toTable("corrected_counts"))
