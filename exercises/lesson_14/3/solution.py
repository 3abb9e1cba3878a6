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

behind = [int(report["sources"][0]["metrics"]["maxOffsetsBehindLatest"])
    for report in catch_up.recentProgress]
