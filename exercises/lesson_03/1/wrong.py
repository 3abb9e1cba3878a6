# %% `0[1-3].` for `0[13].`: `[1-3]` means 1 to 3
DA.exercise("03.1")  # removes what an earlier attempt created

odd_days = (spark.readStream
    .schema(schema)
    .option("maxFilesPerTrigger", 1)
    .option("latestFirst", True)
    .json(f"{DA.paths.landing}/2025-06-0[1-3].json")
    .writeStream
    .format("memory")
    .queryName("odd_days")
    .trigger(availableNow=True)
    .start())

# %% `0[12].` for `0[13].`: rows are missing
DA.exercise("03.1")  # removes what an earlier attempt created

odd_days = (spark.readStream
    .schema(schema)
    .option("maxFilesPerTrigger", 1)
    .option("latestFirst", True)
    .json(f"{DA.paths.landing}/2025-06-0[12].json")
    .writeStream
    .format("memory")
    .queryName("odd_days")
    .trigger(availableNow=True)
    .start())

# %% without `.option("latestFirst", True)`: the first day came first
DA.exercise("03.1")  # removes what an earlier attempt created

odd_days = (spark.readStream
    .schema(schema)
    .option("maxFilesPerTrigger", 1)
    .json(f"{DA.paths.landing}/2025-06-0[13].json")
    .writeStream
    .format("memory")
    .queryName("odd_days")
    .trigger(availableNow=True)
    .start())

# %% `.option("maxFilesPerTrigger", 1)` elsewhere: both days came in one batch
DA.exercise("03.1")  # removes what an earlier attempt created

odd_days = (spark.readStream
    .schema(schema)
    .option("latestFirst", True)
    .json(f"{DA.paths.landing}/2025-06-0[13].json")
    .writeStream
    .format("memory")
    .option("maxFilesPerTrigger", 1)
    .queryName("odd_days")
    .trigger(availableNow=True)
    .start())

# %% `once` for `availableNow`: whatever the limit
DA.exercise("03.1")  # removes what an earlier attempt created

odd_days = (spark.readStream
    .schema(schema)
    .option("maxFilesPerTrigger", 1)
    .option("latestFirst", True)
    .json(f"{DA.paths.landing}/2025-06-0[13].json")
    .writeStream
    .format("memory")
    .queryName("odd_days")
    .trigger(once=True)
    .start())

# %% without `.trigger(availableNow=True)`: still running
DA.exercise("03.1")  # removes what an earlier attempt created

odd_days = (spark.readStream
    .schema(schema)
    .option("maxFilesPerTrigger", 1)
    .option("latestFirst", True)
    .json(f"{DA.paths.landing}/2025-06-0[13].json")
    .writeStream
    .format("memory")
    .queryName("odd_days")
    .start())

# %% `the_odd_days` for `odd_days`: .queryName("odd_days")
DA.exercise("03.1")  # removes what an earlier attempt created

odd_days = (spark.readStream
    .schema(schema)
    .option("maxFilesPerTrigger", 1)
    .option("latestFirst", True)
    .json(f"{DA.paths.landing}/2025-06-0[13].json")
    .writeStream
    .format("memory")
    .queryName("the_odd_days")
    .trigger(availableNow=True)
    .start())

# %% without `.queryName("odd_days")`: raised an error
DA.exercise("03.1")  # removes what an earlier attempt created

odd_days = (spark.readStream
    .schema(schema)
    .option("maxFilesPerTrigger", 1)
    .option("latestFirst", True)
    .json(f"{DA.paths.landing}/2025-06-0[13].json")
    .writeStream
    .format("memory")
    .trigger(availableNow=True)
    .start())

# %% assigns the result of `awaitTermination`: is None
DA.exercise("03.1")  # removes what an earlier attempt created

odd_days = (spark.readStream
    .schema(schema)
    .option("maxFilesPerTrigger", 1)
    .option("latestFirst", True)
    .json(f"{DA.paths.landing}/2025-06-0[13].json")
    .writeStream
    .format("memory")
    .queryName("odd_days")
    .trigger(availableNow=True)
    .start()
    .awaitTermination())
