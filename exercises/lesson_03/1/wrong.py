# %% without `.option("maxFilesPerTrigger", 1)`: came in one batch
DA.exercise("03.1")  # removes what an earlier attempt created

reader = spark.readStream.schema(schema)

if reader is not None:
    odd_days = (reader
        .json(f"{DA.paths.landing}/2025-06-0[13].json")
        .writeStream
        .format("memory")
        .queryName("odd_days")
        .trigger(availableNow=True)
        .start())

# %% `", 2)` for `", 1)`: came in one batch
DA.exercise("03.1")  # removes what an earlier attempt created

reader = spark.readStream.schema(schema).option("maxFilesPerTrigger", 2)

if reader is not None:
    odd_days = (reader
        .json(f"{DA.paths.landing}/2025-06-0[13].json")
        .writeStream
        .format("memory")
        .queryName("odd_days")
        .trigger(availableNow=True)
        .start())

# %% `maxRowsPerTrigger` for `maxFilesPerTrigger`: came in one batch
DA.exercise("03.1")  # removes what an earlier attempt created

reader = spark.readStream.schema(schema).option("maxRowsPerTrigger", 1)

if reader is not None:
    odd_days = (reader
        .json(f"{DA.paths.landing}/2025-06-0[13].json")
        .writeStream
        .format("memory")
        .queryName("odd_days")
        .trigger(availableNow=True)
        .start())

# %% `maxFilesPerBatch` for `maxFilesPerTrigger`: came in one batch
DA.exercise("03.1")  # removes what an earlier attempt created

reader = spark.readStream.schema(schema).option("maxFilesPerBatch", 1)

if reader is not None:
    odd_days = (reader
        .json(f"{DA.paths.landing}/2025-06-0[13].json")
        .writeStream
        .format("memory")
        .queryName("odd_days")
        .trigger(availableNow=True)
        .start())

# %% `read` for `readStream`: raised an error
DA.exercise("03.1")  # removes what an earlier attempt created

reader = spark.read.schema(schema).option("maxFilesPerTrigger", 1)

if reader is not None:
    odd_days = (reader
        .json(f"{DA.paths.landing}/2025-06-0[13].json")
        .writeStream
        .format("memory")
        .queryName("odd_days")
        .trigger(availableNow=True)
        .start())

# %% without `.schema(schema)`: raised an error
DA.exercise("03.1")  # removes what an earlier attempt created

reader = spark.readStream.option("maxFilesPerTrigger", 1)

if reader is not None:
    odd_days = (reader
        .json(f"{DA.paths.landing}/2025-06-0[13].json")
        .writeStream
        .format("memory")
        .queryName("odd_days")
        .trigger(availableNow=True)
        .start())
