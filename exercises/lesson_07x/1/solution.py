DA.exercise("07X.1")  # removes what an earlier attempt created

good = (readings.where("heartrate >= 0")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/sorted/good")
    .trigger(availableNow=True)
    .toTable("good_readings"))

faulty = (readings.where("heartrate < 0")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/sorted/faulty")
    .trigger(availableNow=True)
    .toTable("faulty_readings"))
