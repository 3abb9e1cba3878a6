# %% without `.trigger(processingTime="2 seconds")`: it checks for files all
DA.exercise("05.2")  # removes what an earlier attempt created

arrivals = spark.readStream.schema(schema).json(DA.paths.landing)

screen = (arrivals.writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/ward_screen")
    .toTable("ward_screen"))

audit = (arrivals.writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/ward_audit")
    .trigger(processingTime="3 seconds")
    .toTable("ward_audit"))

# %% `="3 seconds"` for `="2 seconds"`: could be 4 seconds old
DA.exercise("05.2")  # removes what an earlier attempt created

arrivals = spark.readStream.schema(schema).json(DA.paths.landing)

screen = (arrivals.writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/ward_screen")
    .trigger(processingTime="3 seconds")
    .toTable("ward_screen"))

audit = (arrivals.writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/ward_audit")
    .trigger(processingTime="3 seconds")
    .toTable("ward_audit"))

# %% `.trigger(processingTime="1 second")`: listed 3,600 times per hour
DA.exercise("05.2")  # removes what an earlier attempt created

arrivals = spark.readStream.schema(schema).json(DA.paths.landing)

screen = (arrivals.writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/ward_screen")
    .trigger(processingTime="1 second")
    .toTable("ward_screen"))

audit = (arrivals.writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/ward_audit")
    .trigger(processingTime="3 seconds")
    .toTable("ward_audit"))

# %% `="2 seconds"` for `="3 seconds"`: can run 1,800 batches per hour
DA.exercise("05.2")  # removes what an earlier attempt created

arrivals = spark.readStream.schema(schema).json(DA.paths.landing)

screen = (arrivals.writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/ward_screen")
    .trigger(processingTime="2 seconds")
    .toTable("ward_screen"))

audit = (arrivals.writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/ward_audit")
    .trigger(processingTime="2 seconds")
    .toTable("ward_audit"))

# %% `.trigger(processingTime="1 minute")`: could be fresher
DA.exercise("05.2")  # removes what an earlier attempt created

arrivals = spark.readStream.schema(schema).json(DA.paths.landing)

screen = (arrivals.writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/ward_screen")
    .trigger(processingTime="2 seconds")
    .toTable("ward_screen"))

audit = (arrivals.writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/ward_audit")
    .trigger(processingTime="1 minute")
    .toTable("ward_audit"))

# %% without `.trigger(processingTime="3 seconds")`: nothing limits how many
DA.exercise("05.2")  # removes what an earlier attempt created

arrivals = spark.readStream.schema(schema).json(DA.paths.landing)

screen = (arrivals.writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/ward_screen")
    .trigger(processingTime="2 seconds")
    .toTable("ward_screen"))

audit = (arrivals.writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/ward_audit")
    .toTable("ward_audit"))

# %% `availableNow=True` for `processingTime="2 seconds"`: a job that ends
DA.exercise("05.2")  # removes what an earlier attempt created

arrivals = spark.readStream.schema(schema).json(DA.paths.landing)

screen = (arrivals.writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/ward_screen")
    .trigger(availableNow=True)
    .toTable("ward_screen"))

audit = (arrivals.writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/ward_audit")
    .trigger(processingTime="3 seconds")
    .toTable("ward_audit"))

# %% `ward_log` for `ward_audit`: was asked for
DA.exercise("05.2")  # removes what an earlier attempt created

arrivals = spark.readStream.schema(schema).json(DA.paths.landing)

screen = (arrivals.writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/ward_screen")
    .trigger(processingTime="2 seconds")
    .toTable("ward_screen"))

audit = (arrivals.writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/ward_log")
    .trigger(processingTime="3 seconds")
    .toTable("ward_audit"))

# %% `read` for `readStream`: raised an error
DA.exercise("05.2")  # removes what an earlier attempt created

arrivals = spark.read.schema(schema).json(DA.paths.landing)

screen = (arrivals.writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/ward_screen")
    .trigger(processingTime="2 seconds")
    .toTable("ward_screen"))

audit = (arrivals.writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/ward_audit")
    .trigger(processingTime="3 seconds")
    .toTable("ward_audit"))

# %% with `screen.stop()`: was stopped
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
screen.stop()
