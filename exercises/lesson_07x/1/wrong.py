# %% `/sorted")` for `/sorted/good")`, without `/faulty`: the same checkpoint
DA.exercise("07X.1")  # removes what an earlier attempt created

good = (readings.where("heartrate >= 0")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/sorted")
    .trigger(availableNow=True)
    .toTable("good_readings"))

faulty = (readings.where("heartrate < 0")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/sorted")
    .trigger(availableNow=True)
    .toTable("faulty_readings"))

# %% one checkpoint, one query after the other: the same checkpoint
DA.exercise("07X.1")  # removes what an earlier attempt created

good = (readings.where("heartrate >= 0")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/sorted")
    .trigger(availableNow=True)
    .toTable("good_readings"))

good.awaitTermination()

faulty = (readings.where("heartrate < 0")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/sorted")
    .trigger(availableNow=True)
    .toTable("faulty_readings"))

# %% `checkpoint` for `f"{DA.paths.checkpoints}/sorted/good"`: not below `.../checkpoints/sorted`
DA.exercise("07X.1")  # removes what an earlier attempt created

good = (readings.where("heartrate >= 0")
    .writeStream
    .option("checkpointLocation", checkpoint)
    .trigger(availableNow=True)
    .toTable("good_readings"))

faulty = (readings.where("heartrate < 0")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/sorted/faulty")
    .trigger(availableNow=True)
    .toTable("faulty_readings"))

# %% `sorted/good/faulty"` for `sorted/faulty"`: inside the other
DA.exercise("07X.1")  # removes what an earlier attempt created

good = (readings.where("heartrate >= 0")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/sorted/good")
    .trigger(availableNow=True)
    .toTable("good_readings"))

faulty = (readings.where("heartrate < 0")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/sorted/good/faulty")
    .trigger(availableNow=True)
    .toTable("faulty_readings"))

# %% without `.where("heartrate < 0")`: its filter is missing
DA.exercise("07X.1")  # removes what an earlier attempt created

good = (readings.where("heartrate >= 0")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/sorted/good")
    .trigger(availableNow=True)
    .toTable("good_readings"))

faulty = (readings
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/sorted/faulty")
    .trigger(availableNow=True)
    .toTable("faulty_readings"))

# %% `"heartrate < 0"` for `"heartrate >= 0"`, `"heartrate >= 0"` for `"heartrate < 0"`: has the faulty readings
DA.exercise("07X.1")  # removes what an earlier attempt created

good = (readings.where("heartrate < 0")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/sorted/good")
    .trigger(availableNow=True)
    .toTable("good_readings"))

faulty = (readings.where("heartrate >= 0")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/sorted/faulty")
    .trigger(availableNow=True)
    .toTable("faulty_readings"))

# %% without `.trigger(availableNow=True)`: still running
DA.exercise("07X.1")  # removes what an earlier attempt created

good = (readings.where("heartrate >= 0")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/sorted/good")
    .toTable("good_readings"))

faulty = (readings.where("heartrate < 0")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/sorted/faulty")
    .toTable("faulty_readings"))

# %% without the second query: `faulty` is None
DA.exercise("07X.1")  # removes what an earlier attempt created

good = (readings.where("heartrate >= 0")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/sorted/good")
    .trigger(availableNow=True)
    .toTable("good_readings"))

good.awaitTermination()
faulty = None
