DA.exercise("05.2")  # removes what an earlier attempt created

arrivals = spark.readStream.schema(schema).json(DA.paths.landing)

screen = (arrivals.writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/ward_screen")
    .trigger(processingTime="2 seconds")
    .toTable("ward_screen"))

audit = (arrivals.writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/ward_audit")
    .trigger(processingTime="3 seconds")
    .toTable("ward_audit"))
