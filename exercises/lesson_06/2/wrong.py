# %% without `.withWatermark("event_time", "1 hour")`: without a watermark
DA.exercise("06.2")  # removes what an earlier attempt created

finished = (spark.readStream
    .table("bronze")
    .withColumn("event_time", F.timestamp_seconds("time"))
    .groupBy(F.window("event_time", "6 hours"))
    .count()
    .select(F.col("window.start").alias("starts"), F.col("count").alias("readings"))
    .writeStream
    .outputMode("append")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/six_hours")
    .trigger(availableNow=True)
    .toTable("six_hours"))

# %% `complete` for `append`: the one that is still open
DA.exercise("06.2")  # removes what an earlier attempt created

finished = (spark.readStream
    .table("bronze")
    .withColumn("event_time", F.timestamp_seconds("time"))
    .withWatermark("event_time", "1 hour")
    .groupBy(F.window("event_time", "6 hours"))
    .count()
    .select(F.col("window.start").alias("starts"), F.col("count").alias("readings"))
    .writeStream
    .outputMode("complete")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/six_hours")
    .trigger(availableNow=True)
    .toTable("six_hours"))

# %% `update` for `append`: does not accept update mode
DA.exercise("06.2")  # removes what an earlier attempt created

finished = (spark.readStream
    .table("bronze")
    .withColumn("event_time", F.timestamp_seconds("time"))
    .withWatermark("event_time", "1 hour")
    .groupBy(F.window("event_time", "6 hours"))
    .count()
    .select(F.col("window.start").alias("starts"), F.col("count").alias("readings"))
    .writeStream
    .outputMode("update")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/six_hours")
    .trigger(availableNow=True)
    .toTable("six_hours"))

# %% `.withWatermark("event_time", "1 day")`: waits longer than the required hour
DA.exercise("06.2")  # removes what an earlier attempt created

finished = (spark.readStream
    .table("bronze")
    .withColumn("event_time", F.timestamp_seconds("time"))
    .withWatermark("event_time", "1 day")
    .groupBy(F.window("event_time", "6 hours"))
    .count()
    .select(F.col("window.start").alias("starts"), F.col("count").alias("readings"))
    .writeStream
    .outputMode("append")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/six_hours")
    .trigger(availableNow=True)
    .toTable("six_hours"))

# %% `, "24 hours"` for `, "6 hours"`: should not be there
DA.exercise("06.2")  # removes what an earlier attempt created

finished = (spark.readStream
    .table("bronze")
    .withColumn("event_time", F.timestamp_seconds("time"))
    .withWatermark("event_time", "1 hour")
    .groupBy(F.window("event_time", "24 hours"))
    .count()
    .select(F.col("window.start").alias("starts"), F.col("count").alias("readings"))
    .writeStream
    .outputMode("append")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/six_hours")
    .trigger(availableNow=True)
    .toTable("six_hours"))

# %% without `.trigger(availableNow=True)`: still running
DA.exercise("06.2")  # removes what an earlier attempt created

finished = (spark.readStream
    .table("bronze")
    .withColumn("event_time", F.timestamp_seconds("time"))
    .withWatermark("event_time", "1 hour")
    .groupBy(F.window("event_time", "6 hours"))
    .count()
    .select(F.col("window.start").alias("starts"), F.col("count").alias("readings"))
    .writeStream
    .outputMode("append")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/six_hours")
    .toTable("six_hours"))

# %% `read` for `readStream`: raised an error
DA.exercise("06.2")  # removes what an earlier attempt created

finished = (spark.read
    .table("bronze")
    .withColumn("event_time", F.timestamp_seconds("time"))
    .withWatermark("event_time", "1 hour")
    .groupBy(F.window("event_time", "6 hours"))
    .count()
    .select(F.col("window.start").alias("starts"), F.col("count").alias("readings"))
    .writeStream
    .outputMode("append")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/six_hours")
    .trigger(availableNow=True)
    .toTable("six_hours"))

# %% `from_noon` for `starts`: column `starts` is missing
DA.exercise("06.2")  # removes what an earlier attempt created

finished = (spark.readStream
    .table("bronze")
    .withColumn("event_time", F.timestamp_seconds("time"))
    .withWatermark("event_time", "1 hour")
    .groupBy(F.window("event_time", "6 hours"))
    .count()
    .select(F.col("window.start").alias("from_noon"), F.col("count").alias("readings"))
    .writeStream
    .outputMode("append")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/six_hours")
    .trigger(availableNow=True)
    .toTable("six_hours"))
