# %% without `.option("maxFilesPerTrigger", 3)`: an option of the reader
DA.exercise("05L.4")  # removes what an earlier attempt created

backlog = (spark.readStream
    .schema(schema)
    .json(DA.paths.archive)
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/backlog")
    .trigger(availableNow=True)
    .toTable("history"))

# %% `", 4)` for `", 3)`: fewer files per batch
DA.exercise("05L.4")  # removes what an earlier attempt created

backlog = (spark.readStream
    .schema(schema)
    .option("maxFilesPerTrigger", 4)
    .json(DA.paths.archive)
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/backlog")
    .trigger(availableNow=True)
    .toTable("history"))

# %% `", 1)` for `", 3)`: Use more files per batch
DA.exercise("05L.4")  # removes what an earlier attempt created

backlog = (spark.readStream
    .schema(schema)
    .option("maxFilesPerTrigger", 1)
    .json(DA.paths.archive)
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/backlog")
    .trigger(availableNow=True)
    .toTable("history"))

# %% `once` for `availableNow`: in one batch, whatever the limit
DA.exercise("05L.4")  # removes what an earlier attempt created

backlog = (spark.readStream
    .schema(schema)
    .option("maxFilesPerTrigger", 3)
    .json(DA.paths.archive)
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/backlog")
    .trigger(once=True)
    .toTable("history"))

# %% `processingTime="1 second"` for `availableNow=True`: still running
DA.exercise("05L.4")  # removes what an earlier attempt created

backlog = (spark.readStream
    .schema(schema)
    .option("maxFilesPerTrigger", 3)
    .json(DA.paths.archive)
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/backlog")
    .trigger(processingTime="1 second")
    .toTable("history"))

# %% `landing` for `archive`: the files that landed for the ward
DA.exercise("05L.4")  # removes what an earlier attempt created

backlog = (spark.readStream
    .schema(schema)
    .option("maxFilesPerTrigger", 3)
    .json(DA.paths.landing)
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/backlog")
    .trigger(availableNow=True)
    .toTable("history"))

# %% with `.awaitTermination()`: in a line of its own
DA.exercise("05L.4")  # removes what an earlier attempt created

backlog = (spark.readStream
    .schema(schema)
    .option("maxFilesPerTrigger", 3)
    .json(DA.paths.archive)
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/backlog")
    .trigger(availableNow=True)
    .toTable("history")).awaitTermination()
