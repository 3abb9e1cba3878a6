DA.exercise("05L.1")  # removes what an earlier attempt created

small = (read(maxFilesPerTrigger=4)
    .writeStream
    .format("noop")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/small")
    .trigger(processingTime="2 seconds")
    .start())
