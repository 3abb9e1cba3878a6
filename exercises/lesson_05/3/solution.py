DA.exercise("05.3")  # removes what an earlier attempt created

two_at_a_time = (spark.readStream.schema(schema)
    .option("maxFilesPerTrigger", 2).json(DA.paths.landing))

job = (two_at_a_time.writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/ward_history")
    .trigger(availableNow=True)
    .toTable("ward_history"))
job.awaitTermination(30)

DA.data_factory.load()  # the next day lands

live = (two_at_a_time.writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/ward_history")
    .toTable("ward_history"))
