# %% `support` for `replay`: use a new checkpoint
DA.exercise("14.2")  # removes what an earlier attempt created

replay = (spark.readStream
    .format("kafka")
    .options(**DA.kafka.options)
    .option("subscribe", topic)
    .option("startingTimestamp", 1746447000000)
    .load()
    .selectExpr("partition", "offset", "timestamp", "CAST(value AS STRING) AS value")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/support")
    .trigger(availableNow=True)
    .toTable("from_1210"))

# %% without `.option("startingTimestamp", 1746447000000)`: at the end
DA.exercise("14.2")  # removes what an earlier attempt created

replay = (spark.readStream
    .format("kafka")
    .options(**DA.kafka.options)
    .option("subscribe", topic)
    .load()
    .selectExpr("partition", "offset", "timestamp", "CAST(value AS STRING) AS value")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/replay")
    .trigger(availableNow=True)
    .toTable("from_1210"))

# %% `startingOffsets", "earliest"` for `startingTimestamp", 1746447000000`: those before 12:10 too
DA.exercise("14.2")  # removes what an earlier attempt created

replay = (spark.readStream
    .format("kafka")
    .options(**DA.kafka.options)
    .option("subscribe", topic)
    .option("startingOffsets", "earliest")
    .load()
    .selectExpr("partition", "offset", "timestamp", "CAST(value AS STRING) AS value")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/replay")
    .trigger(availableNow=True)
    .toTable("from_1210"))

# %% filtered after reading everything: The rows are right, but
DA.exercise("14.2")  # removes what an earlier attempt created

replay = (spark.readStream
    .format("kafka")
    .options(**DA.kafka.options)
    .option("subscribe", topic)
    .option("startingOffsets", "earliest")
    .load()
    .where("timestamp >= '2025-05-05 12:10:00'")
    .selectExpr("partition", "offset", "timestamp", "CAST(value AS STRING) AS value")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/replay")
    .trigger(availableNow=True)
    .toTable("from_1210"))

# %% `1746446700000` for `1746447000000`: from_1210
DA.exercise("14.2")  # removes what an earlier attempt created

replay = (spark.readStream
    .format("kafka")
    .options(**DA.kafka.options)
    .option("subscribe", topic)
    .option("startingTimestamp", 1746446700000)
    .load()
    .selectExpr("partition", "offset", "timestamp", "CAST(value AS STRING) AS value")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/replay")
    .trigger(availableNow=True)
    .toTable("from_1210"))

# %% without `CAST(value AS STRING) AS`: is bytes
DA.exercise("14.2")  # removes what an earlier attempt created

replay = (spark.readStream
    .format("kafka")
    .options(**DA.kafka.options)
    .option("subscribe", topic)
    .option("startingTimestamp", 1746447000000)
    .load()
    .selectExpr("partition", "offset", "timestamp", "value")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/replay")
    .trigger(availableNow=True)
    .toTable("from_1210"))

# %% without `.trigger(availableNow=True)`: still running
DA.exercise("14.2")  # removes what an earlier attempt created

replay = (spark.readStream
    .format("kafka")
    .options(**DA.kafka.options)
    .option("subscribe", topic)
    .option("startingTimestamp", 1746447000000)
    .load()
    .selectExpr("partition", "offset", "timestamp", "CAST(value AS STRING) AS value")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/replay")
    .toTable("from_1210"))

# %% without `.option("checkpointLocation", ...)`: checkpointLocation must be specified
DA.exercise("14.2")  # removes what an earlier attempt created

replay = (spark.readStream
    .format("kafka")
    .options(**DA.kafka.options)
    .option("subscribe", topic)
    .option("startingTimestamp", 1746447000000)
    .load()
    .selectExpr("partition", "offset", "timestamp", "CAST(value AS STRING) AS value")
    .writeStream
    .trigger(availableNow=True)
    .toTable("from_1210"))
