# %% `maxFilesPerTrigger=2)` for `maxFilesPerTrigger=4)`: 3,600 files are waiting
DA.exercise("05L.1")  # removes what an earlier attempt created

small = (read(maxFilesPerTrigger=2)
    .writeStream
    .format("noop")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/small")
    .trigger(processingTime="2 seconds")
    .start())

# %% `maxFilesPerTrigger=1)` for `maxFilesPerTrigger=4)`: A batch reads 1 file,
DA.exercise("05L.1")  # removes what an earlier attempt created

small = (read(maxFilesPerTrigger=1)
    .writeStream
    .format("noop")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/small")
    .trigger(processingTime="2 seconds")
    .start())

# %% `maxFilesPerTrigger=5)` for `maxFilesPerTrigger=4)`: a smaller limit keeps up as well
DA.exercise("05L.1")  # removes what an earlier attempt created

small = (read(maxFilesPerTrigger=5)
    .writeStream
    .format("noop")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/small")
    .trigger(processingTime="2 seconds")
    .start())

# %% without `maxFilesPerTrigger=4`: a smaller limit keeps up as well
DA.exercise("05L.1")  # removes what an earlier attempt created

small = (read()
    .writeStream
    .format("noop")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/small")
    .trigger(processingTime="2 seconds")
    .start())

# %% without `.trigger(processingTime="2 seconds")`: the trigger `default`
DA.exercise("05L.1")  # removes what an earlier attempt created

small = (read(maxFilesPerTrigger=4)
    .writeStream
    .format("noop")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/small")
    .start())

# %% `availableNow=True` for `processingTime="2 seconds"`: a job that ends
DA.exercise("05L.1")  # removes what an earlier attempt created

small = (read(maxFilesPerTrigger=4)
    .writeStream
    .format("noop")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/small")
    .trigger(availableNow=True)
    .start())

# %% `offers/default` for `small`: of its own
DA.exercise("05L.1")  # removes what an earlier attempt created

small = (read(maxFilesPerTrigger=4)
    .writeStream
    .format("noop")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/offers/default")
    .trigger(processingTime="2 seconds")
    .start())

# %% with `small.stop()`: was stopped
DA.exercise("05L.1")  # removes what an earlier attempt created

small = (read(maxFilesPerTrigger=4)
    .writeStream
    .format("noop")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/small")
    .trigger(processingTime="2 seconds")
    .start())
small.stop()
