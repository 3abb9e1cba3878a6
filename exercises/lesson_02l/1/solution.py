DA.exercise("02L.1")  # removes what an earlier attempt created

recordings = (spark.readStream
    .schema("Arrival_Time LONG, Device STRING, User STRING, gt STRING")
    .option("maxFilesPerTrigger", 1)
    .json(DA.paths.landing))

if recordings is not None:
    recordings.createOrReplaceTempView("recordings_vw")
