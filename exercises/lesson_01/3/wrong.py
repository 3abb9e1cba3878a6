# %% without `.trigger(availableNow=True)`: still running
DA.exercise("01.3")  # removes what an earlier attempt created

faulty = (spark.readStream
    .table("bronze")
    .where("heartrate < 0")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/faulty_readings")
    .outputMode("append")
    .toTable("faulty_readings"))

# %% without `.where("heartrate < 0")`: has every reading
DA.exercise("01.3")  # removes what an earlier attempt created

faulty = (spark.readStream
    .table("bronze")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/faulty_readings")
    .outputMode("append")
    .trigger(availableNow=True)
    .toTable("faulty_readings"))

# %% `"heartrate >= 0"` for `"heartrate < 0"`: the good readings
DA.exercise("01.3")  # removes what an earlier attempt created

faulty = (spark.readStream
    .table("bronze")
    .where("heartrate >= 0")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/faulty_readings")
    .outputMode("append")
    .trigger(availableNow=True)
    .toTable("faulty_readings"))

# %% `device_counts` for `faulty_readings`: belongs to another query
DA.exercise("01.3")  # removes what an earlier attempt created

faulty = (spark.readStream
    .table("bronze")
    .where("heartrate < 0")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/device_counts")
    .outputMode("append")
    .trigger(availableNow=True)
    .toTable("faulty_readings"))

# %% `complete` for `append`: Leave the output mode out
DA.exercise("01.3")  # removes what an earlier attempt created

faulty = (spark.readStream
    .table("bronze")
    .where("heartrate < 0")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/faulty_readings")
    .outputMode("complete")
    .trigger(availableNow=True)
    .toTable("faulty_readings"))

# %% the stream is not written: a stream that nobody writes yet
DA.exercise("01.3")  # removes what an earlier attempt created

faulty = (spark.readStream
    .table("bronze")
    .where("heartrate < 0"))

# %% without `.toTable("faulty_readings")`: was not started
DA.exercise("01.3")  # removes what an earlier attempt created

faulty = (spark.readStream
    .table("bronze")
    .where("heartrate < 0")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/faulty_readings")
    .outputMode("append")
    .trigger(availableNow=True)
)

# %% with `.awaitTermination()`: in a line of its own
DA.exercise("01.3")  # removes what an earlier attempt created

faulty = (spark.readStream
    .table("bronze")
    .where("heartrate < 0")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/faulty_readings")
    .outputMode("append")
    .trigger(availableNow=True)
    .toTable("faulty_readings")).awaitTermination()
