# %% without `.option("maxOffsetsPerTrigger", 1000)`: Limit it to 1,000
DA.exercise("14.3")  # removes what an earlier attempt created

catch_up = (spark.readStream
    .format("kafka")
    .options(**DA.kafka.options)
    .option("subscribe", topic)
    .option("startingOffsets", "earliest")
    .load()
    .writeStream
    .format("noop")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/catch_up")
    .trigger(availableNow=True)
    .start())
catch_up.awaitTermination(30)

behind = [int(report["sources"][0]["metrics"]["maxOffsetsBehindLatest"]) for report in catch_up.recentProgress]

# %% `.option("maxOffsetsPerTrigger", 200)`: the limit is too low
DA.exercise("14.3")  # removes what an earlier attempt created

catch_up = (spark.readStream
    .format("kafka")
    .options(**DA.kafka.options)
    .option("subscribe", topic)
    .option("startingOffsets", "earliest")
    .option("maxOffsetsPerTrigger", 200)
    .load()
    .writeStream
    .format("noop")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/catch_up")
    .trigger(availableNow=True)
    .start())
catch_up.awaitTermination(30)

behind = [int(report["sources"][0]["metrics"]["maxOffsetsBehindLatest"]) for report in catch_up.recentProgress]

# %% without `.option("startingOffsets", "earliest")`: The whole topic
DA.exercise("14.3")  # removes what an earlier attempt created

catch_up = (spark.readStream
    .format("kafka")
    .options(**DA.kafka.options)
    .option("subscribe", topic)
    .option("maxOffsetsPerTrigger", 1000)
    .load()
    .writeStream
    .format("noop")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/catch_up")
    .trigger(availableNow=True)
    .start())
catch_up.awaitTermination(30)

behind = [int(report["sources"][0]["metrics"]["maxOffsetsBehindLatest"]) for report in catch_up.recentProgress]

# %% with an interval: still running
DA.exercise("14.3")  # removes what an earlier attempt created

catch_up = (spark.readStream
    .format("kafka")
    .options(**DA.kafka.options)
    .option("subscribe", topic)
    .option("startingOffsets", "earliest")
    .option("maxOffsetsPerTrigger", 1000)
    .load()
    .writeStream
    .format("noop")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/catch_up")
    .trigger(processingTime="1 second")
    .start())
catch_up.processAllAvailable()

behind = [int(report["sources"][0]["metrics"]["maxOffsetsBehindLatest"]) for report in catch_up.recentProgress]

# %% the average lag: furthest
DA.exercise("14.3")  # removes what an earlier attempt created

catch_up = (spark.readStream
    .format("kafka")
    .options(**DA.kafka.options)
    .option("subscribe", topic)
    .option("startingOffsets", "earliest")
    .option("maxOffsetsPerTrigger", 1000)
    .load()
    .writeStream
    .format("noop")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/catch_up")
    .trigger(availableNow=True)
    .start())
catch_up.awaitTermination(30)

behind = [float(report["sources"][0]["metrics"]["avgOffsetsBehindLatest"]) for report in catch_up.recentProgress]

# %% the average lag, as an integer: furthest
DA.exercise("14.3")  # removes what an earlier attempt created

catch_up = (spark.readStream
    .format("kafka")
    .options(**DA.kafka.options)
    .option("subscribe", topic)
    .option("startingOffsets", "earliest")
    .option("maxOffsetsPerTrigger", 1000)
    .load()
    .writeStream
    .format("noop")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/catch_up")
    .trigger(availableNow=True)
    .start())
catch_up.awaitTermination(30)

behind = [int(float(report["sources"][0]["metrics"]["avgOffsetsBehindLatest"])) for report in catch_up.recentProgress]

# %% `= [str(report` for `= [int(report`: has strings
DA.exercise("14.3")  # removes what an earlier attempt created

catch_up = (spark.readStream
    .format("kafka")
    .options(**DA.kafka.options)
    .option("subscribe", topic)
    .option("startingOffsets", "earliest")
    .option("maxOffsetsPerTrigger", 1000)
    .load()
    .writeStream
    .format("noop")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/catch_up")
    .trigger(availableNow=True)
    .start())
catch_up.awaitTermination(30)

behind = [str(report["sources"][0]["metrics"]["maxOffsetsBehindLatest"]) for report in catch_up.recentProgress]

# %% `slow` for `catch_up`: was asked for
DA.exercise("14.3")  # removes what an earlier attempt created

catch_up = (spark.readStream
    .format("kafka")
    .options(**DA.kafka.options)
    .option("subscribe", topic)
    .option("startingOffsets", "earliest")
    .option("maxOffsetsPerTrigger", 1000)
    .load()
    .writeStream
    .format("noop")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/slow")
    .trigger(availableNow=True)
    .start())
catch_up.awaitTermination(30)

behind = [int(report["sources"][0]["metrics"]["maxOffsetsBehindLatest"]) for report in catch_up.recentProgress]

# %% the last report alone: not a list
DA.exercise("14.3")  # removes what an earlier attempt created

catch_up = (spark.readStream
    .format("kafka")
    .options(**DA.kafka.options)
    .option("subscribe", topic)
    .option("startingOffsets", "earliest")
    .option("maxOffsetsPerTrigger", 1000)
    .load()
    .writeStream
    .format("noop")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/catch_up")
    .trigger(availableNow=True)
    .start())
catch_up.awaitTermination(30)

behind = int(catch_up.lastProgress["sources"][0]["metrics"]["maxOffsetsBehindLatest"])
