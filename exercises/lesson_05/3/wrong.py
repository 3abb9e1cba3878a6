# %% without `option("maxFilesPerTrigger", 2).`: an option of the reader
DA.exercise("05.3")  # removes what an earlier attempt created

two_at_a_time = spark.readStream.schema(schema).json(DA.paths.landing)

job = (two_at_a_time.writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/ward_history")
    .trigger(availableNow=True)
    .toTable("ward_history"))
job.awaitTermination(30)

DA.data_factory.load()  # the next day lands

live = (two_at_a_time.writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/ward_history")
    .toTable("ward_history"))

# %% `", 1).` for `", 2).`: has read one file
DA.exercise("05.3")  # removes what an earlier attempt created

two_at_a_time = spark.readStream.schema(schema).option("maxFilesPerTrigger", 1).json(DA.paths.landing)

job = (two_at_a_time.writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/ward_history")
    .trigger(availableNow=True)
    .toTable("ward_history"))
job.awaitTermination(30)

DA.data_factory.load()  # the next day lands

live = (two_at_a_time.writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/ward_history")
    .toTable("ward_history"))

# %% `", 3).` for `", 2).`: asks for two files per batch
DA.exercise("05.3")  # removes what an earlier attempt created

two_at_a_time = spark.readStream.schema(schema).option("maxFilesPerTrigger", 3).json(DA.paths.landing)

job = (two_at_a_time.writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/ward_history")
    .trigger(availableNow=True)
    .toTable("ward_history"))
job.awaitTermination(30)

DA.data_factory.load()  # the next day lands

live = (two_at_a_time.writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/ward_history")
    .toTable("ward_history"))

# %% `once` for `availableNow`: whatever the limit is
DA.exercise("05.3")  # removes what an earlier attempt created

two_at_a_time = spark.readStream.schema(schema).option("maxFilesPerTrigger", 2).json(DA.paths.landing)

job = (two_at_a_time.writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/ward_history")
    .trigger(once=True)
    .toTable("ward_history"))
job.awaitTermination(30)

DA.data_factory.load()  # the next day lands

live = (two_at_a_time.writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/ward_history")
    .toTable("ward_history"))

# %% `ward_live` for `ward_history`: has the job's rows twice
DA.exercise("05.3")  # removes what an earlier attempt created

two_at_a_time = spark.readStream.schema(schema).option("maxFilesPerTrigger", 2).json(DA.paths.landing)

job = (two_at_a_time.writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/ward_history")
    .trigger(availableNow=True)
    .toTable("ward_history"))
job.awaitTermination(30)

DA.data_factory.load()  # the next day lands

live = (two_at_a_time.writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/ward_live")
    .toTable("ward_history"))

# %% with `.trigger(availableNow=True)`: must stay live
DA.exercise("05.3")  # removes what an earlier attempt created

two_at_a_time = spark.readStream.schema(schema).option("maxFilesPerTrigger", 2).json(DA.paths.landing)

job = (two_at_a_time.writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/ward_history")
    .trigger(availableNow=True)
    .toTable("ward_history"))
job.awaitTermination(30)

DA.data_factory.load()  # the next day lands

live = (two_at_a_time.writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/ward_history")
    .trigger(availableNow=True)
    .toTable("ward_history"))

# %% with `.trigger(processingTime="1 minute")`: an interval of 60 s
DA.exercise("05.3")  # removes what an earlier attempt created

two_at_a_time = spark.readStream.schema(schema).option("maxFilesPerTrigger", 2).json(DA.paths.landing)

job = (two_at_a_time.writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/ward_history")
    .trigger(availableNow=True)
    .toTable("ward_history"))
job.awaitTermination(30)

DA.data_factory.load()  # the next day lands

live = (two_at_a_time.writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/ward_history")
    .trigger(processingTime="1 minute")
    .toTable("ward_history"))

# %% tables of another name: no table `ward_history`
DA.exercise("05.3")  # removes what an earlier attempt created

two_at_a_time = spark.readStream.schema(schema).option("maxFilesPerTrigger", 2).json(DA.paths.landing)

job = (two_at_a_time.writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/ward_days")
    .trigger(availableNow=True)
    .toTable("ward_days"))
job.awaitTermination(30)

DA.data_factory.load()  # the next day lands

live = (two_at_a_time.writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/ward_days")
    .toTable("ward_days"))

# %% with `live.stop()`: was stopped
DA.exercise("05.3")  # removes what an earlier attempt created

two_at_a_time = spark.readStream.schema(schema).option("maxFilesPerTrigger", 2).json(DA.paths.landing)

job = (two_at_a_time.writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/ward_history")
    .trigger(availableNow=True)
    .toTable("ward_history"))
job.awaitTermination(30)

DA.data_factory.load()  # the next day lands

live = (two_at_a_time.writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/ward_history")
    .toTable("ward_history"))
live.stop()
