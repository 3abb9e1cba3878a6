# %% `.option("maxFilesPerTrigger", 2)` elsewhere: an option of the reader
DA.exercise("02.1")  # removes what an earlier attempt created

fitting = (spark.readStream
    .schema(schema)
    .json(DA.paths.landing)
    .writeStream
    .format("noop")
    .option("maxFilesPerTrigger", 2)
    .option("checkpointLocation", f"{DA.paths.checkpoints}/fitting")
    .trigger(availableNow=True)
    .start())

# %% `", 1)` for `", 2)`: Each batch fits
DA.exercise("02.1")  # removes what an earlier attempt created

fitting = (spark.readStream
    .schema(schema)
    .option("maxFilesPerTrigger", 1)
    .json(DA.paths.landing)
    .writeStream
    .format("noop")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/fitting")
    .trigger(availableNow=True)
    .start())

# %% `", 3)` for `", 2)`: and 7,000 fit
DA.exercise("02.1")  # removes what an earlier attempt created

fitting = (spark.readStream
    .schema(schema)
    .option("maxFilesPerTrigger", 3)
    .json(DA.paths.landing)
    .writeStream
    .format("noop")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/fitting")
    .trigger(availableNow=True)
    .start())

# %% `no-limit` for `fitting`: belongs to another query
DA.exercise("02.1")  # removes what an earlier attempt created

fitting = (spark.readStream
    .schema(schema)
    .option("maxFilesPerTrigger", 2)
    .json(DA.paths.landing)
    .writeStream
    .format("noop")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/no-limit")
    .trigger(availableNow=True)
    .start())

# %% without `.option("checkpointLocation", ...)`: temporary one
DA.exercise("02.1")  # removes what an earlier attempt created

fitting = (spark.readStream
    .schema(schema)
    .option("maxFilesPerTrigger", 2)
    .json(DA.paths.landing)
    .writeStream
    .format("noop")
    .trigger(availableNow=True)
    .start())

# %% without `.trigger(availableNow=True)`: still running
DA.exercise("02.1")  # removes what an earlier attempt created

fitting = (spark.readStream
    .schema(schema)
    .option("maxFilesPerTrigger", 2)
    .json(DA.paths.landing)
    .writeStream
    .format("noop")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/fitting")
    .start())

# %% `once` for `availableNow`: ignores every limit
DA.exercise("02.1")  # removes what an earlier attempt created

fitting = (spark.readStream
    .schema(schema)
    .option("maxFilesPerTrigger", 2)
    .json(DA.paths.landing)
    .writeStream
    .format("noop")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/fitting")
    .trigger(once=True)
    .start())

# %% `read` for `readStream`: raised an error
DA.exercise("02.1")  # removes what an earlier attempt created

fitting = (spark.read
    .schema(schema)
    .option("maxFilesPerTrigger", 2)
    .json(DA.paths.landing)
    .writeStream
    .format("noop")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/fitting")
    .trigger(availableNow=True)
    .start())

# %% without `.schema(schema)`: raised an error
DA.exercise("02.1")  # removes what an earlier attempt created

fitting = (spark.readStream
    .option("maxFilesPerTrigger", 2)
    .json(DA.paths.landing)
    .writeStream
    .format("noop")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/fitting")
    .trigger(availableNow=True)
    .start())

# %% the stream is not written: a stream that nobody writes
DA.exercise("02.1")  # removes what an earlier attempt created

fitting = (spark.readStream
    .schema(schema)
    .option("maxFilesPerTrigger", 2)
    .json(DA.paths.landing))

# %% assigns the result of `awaitTermination`: is None
DA.exercise("02.1")  # removes what an earlier attempt created

fitting = (spark.readStream
    .schema(schema)
    .option("maxFilesPerTrigger", 2)
    .json(DA.paths.landing)
    .writeStream
    .format("noop")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/fitting")
    .trigger(availableNow=True)
    .start()
    .awaitTermination())

# %% without assignment: no variable `fitting`
DA.exercise("02.1")  # removes what an earlier attempt created

(spark.readStream
    .schema(schema)
    .option("maxFilesPerTrigger", 2)
    .json(DA.paths.landing)
    .writeStream
    .format("noop")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/fitting")
    .trigger(availableNow=True)
    .start()
    .awaitTermination())
