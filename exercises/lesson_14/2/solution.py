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
    .trigger(availableNow=True)
    .toTable("from_1210"))
