DA.exercise("07.3")  # removes what an earlier attempt created

corrected = (readings.where("heartrate >= 0")
    .groupBy("device_id")
    .count()
    .writeStream
    .outputMode("complete")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/corrected")
    .trigger(availableNow=True)
    .toTable("corrected_counts"))
