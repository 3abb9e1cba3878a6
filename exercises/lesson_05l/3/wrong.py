# %% without `.trigger(availableNow=True)`: paid for until the job ends
DA.exercise("05L.3")  # removes what an earlier attempt created

report = (spark.table("readings_vw")
    .where("heartrate < 0")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/report")
    .toTable("faulty_report"))

# %% `processingTime="2 seconds"` for `availableNow=True`: paid for until
DA.exercise("05L.3")  # removes what an earlier attempt created

report = (spark.table("readings_vw")
    .where("heartrate < 0")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/report")
    .trigger(processingTime="2 seconds")
    .toTable("faulty_report"))

# %% `once` for `availableNow`: it is deprecated
DA.exercise("05L.3")  # removes what an earlier attempt created

report = (spark.table("readings_vw")
    .where("heartrate < 0")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/report")
    .trigger(once=True)
    .toTable("faulty_report"))

# %% a limit of one file per batch: leave out the limit
DA.exercise("05L.3")  # removes what an earlier attempt created

report = (spark.readStream
    .schema(schema)
    .option("maxFilesPerTrigger", 1)
    .json(DA.paths.landing)
    .where("heartrate < 0")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/report")
    .trigger(availableNow=True)
    .toTable("faulty_report"))

# %% without `.where("heartrate < 0")`: has every reading
DA.exercise("05L.3")  # removes what an earlier attempt created

report = (spark.table("readings_vw")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/report")
    .trigger(availableNow=True)
    .toTable("faulty_report"))

# %% `"heartrate >= 0"` for `"heartrate < 0"`: the good readings
DA.exercise("05L.3")  # removes what an earlier attempt created

report = (spark.table("readings_vw")
    .where("heartrate >= 0")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/report")
    .trigger(availableNow=True)
    .toTable("faulty_report"))

# %% `offers/job` for `report`: of its own
DA.exercise("05L.3")  # removes what an earlier attempt created

report = (spark.table("readings_vw")
    .where("heartrate < 0")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/offers/job")
    .trigger(availableNow=True)
    .toTable("faulty_report"))
