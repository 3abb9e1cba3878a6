# %% `read` for `readStream`: begin with `spark.readStream`
DA.exercise("02L.1")  # removes what an earlier attempt created

recordings = (spark.read
    .schema("Arrival_Time LONG, Device STRING, User STRING, gt STRING")
    .option("maxFilesPerTrigger", 1)
    .json(DA.paths.landing))

if recordings is not None:
    recordings.createOrReplaceTempView("recordings_vw")

# %% without `.option("maxFilesPerTrigger", 1)`: the limit is missing
DA.exercise("02L.1")  # removes what an earlier attempt created

recordings = (spark.readStream
    .schema("Arrival_Time LONG, Device STRING, User STRING, gt STRING")
    .json(DA.paths.landing))

if recordings is not None:
    recordings.createOrReplaceTempView("recordings_vw")

# %% `", 2)` for `", 1)`: 4 files come in 2 batches
DA.exercise("02L.1")  # removes what an earlier attempt created

recordings = (spark.readStream
    .schema("Arrival_Time LONG, Device STRING, User STRING, gt STRING")
    .option("maxFilesPerTrigger", 2)
    .json(DA.paths.landing))

if recordings is not None:
    recordings.createOrReplaceTempView("recordings_vw")

# %% `INT` for `LONG`: too big for an `INT`
DA.exercise("02L.1")  # removes what an earlier attempt created

recordings = (spark.readStream
    .schema("Arrival_Time INT, Device STRING, User STRING, gt STRING")
    .option("maxFilesPerTrigger", 1)
    .json(DA.paths.landing))

if recordings is not None:
    recordings.createOrReplaceTempView("recordings_vw")

# %% `person` for `User`: has no `User`
DA.exercise("02L.1")  # removes what an earlier attempt created

recordings = (spark.readStream
    .schema("Arrival_Time LONG, Device STRING, person STRING, gt STRING")
    .option("maxFilesPerTrigger", 1)
    .json(DA.paths.landing))

if recordings is not None:
    recordings.createOrReplaceTempView("recordings_vw")

# %% without `.schema("Arrival_Time LONG, Device STRING, User STRING, gt STRING", ...)`: raised an error
DA.exercise("02L.1")  # removes what an earlier attempt created

recordings = (spark.readStream
    .option("maxFilesPerTrigger", 1)
    .json(DA.paths.landing))

if recordings is not None:
    recordings.createOrReplaceTempView("recordings_vw")

# %% without `.json(...)`: where to read
DA.exercise("02L.1")  # removes what an earlier attempt created

recordings = (spark.readStream
    .schema("Arrival_Time LONG, Device STRING, User STRING, gt STRING"))

if recordings is not None:
    recordings.createOrReplaceTempView("recordings_vw")

# %% the stream is already written: a running query
DA.exercise("02L.1")  # removes what an earlier attempt created

recordings = (spark.readStream
    .schema("Arrival_Time LONG, Device STRING, User STRING, gt STRING")
    .option("maxFilesPerTrigger", 1)
    .json(DA.paths.landing)
    .writeStream.format("noop").start())

if recordings is not None:
    recordings.createOrReplaceTempView("recordings_vw")
