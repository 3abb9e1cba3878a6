# %% without `.withWatermark("event_time", "2 hours")`: without a watermark
DA.exercise("06X.1")  # removes what an earlier attempt created

times_on = (spark.readStream
    .table("bronze")
    .withColumn("event_time", F.timestamp_seconds("time"))
    .groupBy("device_id", F.session_window("event_time", "1 hour"))
    .count()
    .select("device_id", F.col("session_window.start").alias("on_since"), F.col("count").alias("readings"))
    .writeStream
    .outputMode("append")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/times_on")
    .trigger(availableNow=True)
    .toTable("times_on"))

# %% `update` for `append`: does not fit a session
DA.exercise("06X.1")  # removes what an earlier attempt created

times_on = (spark.readStream
    .table("bronze")
    .withColumn("event_time", F.timestamp_seconds("time"))
    .withWatermark("event_time", "2 hours")
    .groupBy("device_id", F.session_window("event_time", "1 hour"))
    .count()
    .select("device_id", F.col("session_window.start").alias("on_since"), F.col("count").alias("readings"))
    .writeStream
    .outputMode("update")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/times_on")
    .trigger(availableNow=True)
    .toTable("times_on"))

# %% `complete` for `append`: can still grow
DA.exercise("06X.1")  # removes what an earlier attempt created

times_on = (spark.readStream
    .table("bronze")
    .withColumn("event_time", F.timestamp_seconds("time"))
    .withWatermark("event_time", "2 hours")
    .groupBy("device_id", F.session_window("event_time", "1 hour"))
    .count()
    .select("device_id", F.col("session_window.start").alias("on_since"), F.col("count").alias("readings"))
    .writeStream
    .outputMode("complete")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/times_on")
    .trigger(availableNow=True)
    .toTable("times_on"))

# %% `window` for `session_window`: begins on the hour
DA.exercise("06X.1")  # removes what an earlier attempt created

times_on = (spark.readStream
    .table("bronze")
    .withColumn("event_time", F.timestamp_seconds("time"))
    .withWatermark("event_time", "2 hours")
    .groupBy("device_id", F.window("event_time", "1 hour"))
    .count()
    .select("device_id", F.col("window.start").alias("on_since"), F.col("count").alias("readings"))
    .writeStream
    .outputMode("append")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/times_on")
    .trigger(availableNow=True)
    .toTable("times_on"))

# %% `3 hours` for `1 hour`: are missing
DA.exercise("06X.1")  # removes what an earlier attempt created

times_on = (spark.readStream
    .table("bronze")
    .withColumn("event_time", F.timestamp_seconds("time"))
    .withWatermark("event_time", "2 hours")
    .groupBy("device_id", F.session_window("event_time", "3 hours"))
    .count()
    .select("device_id", F.col("session_window.start").alias("on_since"), F.col("count").alias("readings"))
    .writeStream
    .outputMode("append")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/times_on")
    .trigger(availableNow=True)
    .toTable("times_on"))

# %% `.withWatermark("event_time", "1 day")`: are missing
DA.exercise("06X.1")  # removes what an earlier attempt created

times_on = (spark.readStream
    .table("bronze")
    .withColumn("event_time", F.timestamp_seconds("time"))
    .withWatermark("event_time", "1 day")
    .groupBy("device_id", F.session_window("event_time", "1 hour"))
    .count()
    .select("device_id", F.col("session_window.start").alias("on_since"), F.col("count").alias("readings"))
    .writeStream
    .outputMode("append")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/times_on")
    .trigger(availableNow=True)
    .toTable("times_on"))

# %% without `.trigger(availableNow=True)`: still running
DA.exercise("06X.1")  # removes what an earlier attempt created

times_on = (spark.readStream
    .table("bronze")
    .withColumn("event_time", F.timestamp_seconds("time"))
    .withWatermark("event_time", "2 hours")
    .groupBy("device_id", F.session_window("event_time", "1 hour"))
    .count()
    .select("device_id", F.col("session_window.start").alias("on_since"), F.col("count").alias("readings"))
    .writeStream
    .outputMode("append")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/times_on")
    .toTable("times_on"))

# %% without `"device_id",`: group by `device_id`
DA.exercise("06X.1")  # removes what an earlier attempt created

times_on = (spark.readStream
    .table("bronze")
    .withColumn("event_time", F.timestamp_seconds("time"))
    .withWatermark("event_time", "2 hours")
    .groupBy(F.session_window("event_time", "1 hour"))
    .count()
    .select(F.col("session_window.start").alias("on_since"), F.col("count").alias("readings"))
    .writeStream
    .outputMode("append")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/times_on")
    .trigger(availableNow=True)
    .toTable("times_on"))
