# %% `, "75 minutes"` for `, "90 minutes"`: arrived later than that
DA.exercise("09.3")  # removes what an earlier attempt created

counted = (spark.readStream
    .schema(payment)
    .option("maxFilesPerTrigger", 1)
    .json(DA.paths.landing)
    .withWatermark("event_time", "75 minutes")
    .groupBy("country", F.window("event_time", "10 minutes"))
    .agg(F.count("*").alias("payments"))
    .select("country", F.col("window.start").alias("begins"), "payments")
    .writeStream
    .outputMode("append")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/payments_by_window")
    .trigger(availableNow=True)
    .toTable("payments_by_window"))
counted.awaitTermination()

first = spark.sql("SELECT transaction_id, min(received_at) AS received_at FROM payments_vw GROUP BY transaction_id")
lost = late_rows(counted).select("row.transaction_id", "row.received_at")
first_rows_lost = lost.join(first, ["transaction_id", "received_at"]).count()

# %% `.withWatermark("event_time", "5 hours")`: waits longer than it must
DA.exercise("09.3")  # removes what an earlier attempt created

counted = (spark.readStream
    .schema(payment)
    .option("maxFilesPerTrigger", 1)
    .json(DA.paths.landing)
    .withWatermark("event_time", "5 hours")
    .groupBy("country", F.window("event_time", "10 minutes"))
    .agg(F.count("*").alias("payments"))
    .select("country", F.col("window.start").alias("begins"), "payments")
    .writeStream
    .outputMode("append")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/payments_by_window")
    .trigger(availableNow=True)
    .toTable("payments_by_window"))
counted.awaitTermination()

first = spark.sql("SELECT transaction_id, min(received_at) AS received_at FROM payments_vw GROUP BY transaction_id")
lost = late_rows(counted).select("row.transaction_id", "row.received_at")
first_rows_lost = lost.join(first, ["transaction_id", "received_at"]).count()

# %% without `.withWatermark("event_time", "90 minutes")`: raised an error
DA.exercise("09.3")  # removes what an earlier attempt created

counted = (spark.readStream
    .schema(payment)
    .option("maxFilesPerTrigger", 1)
    .json(DA.paths.landing)
    .groupBy("country", F.window("event_time", "10 minutes"))
    .agg(F.count("*").alias("payments"))
    .select("country", F.col("window.start").alias("begins"), "payments")
    .writeStream
    .outputMode("append")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/payments_by_window")
    .trigger(availableNow=True)
    .toTable("payments_by_window"))
counted.awaitTermination()

first = spark.sql("SELECT transaction_id, min(received_at) AS received_at FROM payments_vw GROUP BY transaction_id")
lost = late_rows(counted).select("row.transaction_id", "row.received_at")
first_rows_lost = lost.join(first, ["transaction_id", "received_at"]).count()

# %% without `join(first, ["transaction_id", "received_at"]).`: `first_rows_lost` is
DA.exercise("09.3")  # removes what an earlier attempt created

counted = (spark.readStream
    .schema(payment)
    .option("maxFilesPerTrigger", 1)
    .json(DA.paths.landing)
    .withWatermark("event_time", "90 minutes")
    .groupBy("country", F.window("event_time", "10 minutes"))
    .agg(F.count("*").alias("payments"))
    .select("country", F.col("window.start").alias("begins"), "payments")
    .writeStream
    .outputMode("append")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/payments_by_window")
    .trigger(availableNow=True)
    .toTable("payments_by_window"))
counted.awaitTermination()

first = spark.sql("SELECT transaction_id, min(received_at) AS received_at FROM payments_vw GROUP BY transaction_id")
lost = late_rows(counted).select("row.transaction_id", "row.received_at")
first_rows_lost = lost.count()

# %% typed in: first_rows_lost
DA.exercise("09.3")  # removes what an earlier attempt created

counted = (spark.readStream
    .schema(payment)
    .option("maxFilesPerTrigger", 1)
    .json(DA.paths.landing)
    .withWatermark("event_time", "90 minutes")
    .groupBy("country", F.window("event_time", "10 minutes"))
    .agg(F.count("*").alias("payments"))
    .select("country", F.col("window.start").alias("begins"), "payments")
    .writeStream
    .outputMode("append")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/payments_by_window")
    .trigger(availableNow=True)
    .toTable("payments_by_window"))
counted.awaitTermination()

first_rows_lost = 0

# %% without `.option("maxFilesPerTrigger", 1)`: more than one file
DA.exercise("09.3")  # removes what an earlier attempt created

counted = (spark.readStream
    .schema(payment)
    .json(DA.paths.landing)
    .withWatermark("event_time", "90 minutes")
    .groupBy("country", F.window("event_time", "10 minutes"))
    .agg(F.count("*").alias("payments"))
    .select("country", F.col("window.start").alias("begins"), "payments")
    .writeStream
    .outputMode("append")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/payments_by_window")
    .trigger(availableNow=True)
    .toTable("payments_by_window"))
counted.awaitTermination()

first = spark.sql("SELECT transaction_id, min(received_at) AS received_at FROM payments_vw GROUP BY transaction_id")
lost = late_rows(counted).select("row.transaction_id", "row.received_at")
first_rows_lost = lost.join(first, ["transaction_id", "received_at"]).count()

# %% without `"country",`: the column `country` is missing
DA.exercise("09.3")  # removes what an earlier attempt created

counted = (spark.readStream
    .schema(payment)
    .option("maxFilesPerTrigger", 1)
    .json(DA.paths.landing)
    .withWatermark("event_time", "90 minutes")
    .groupBy(F.window("event_time", "10 minutes"))
    .agg(F.count("*").alias("payments"))
    .select(F.col("window.start").alias("begins"), "payments")
    .writeStream
    .outputMode("append")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/payments_by_window")
    .trigger(availableNow=True)
    .toTable("payments_by_window"))
counted.awaitTermination()

first = spark.sql("SELECT transaction_id, min(received_at) AS received_at FROM payments_vw GROUP BY transaction_id")
lost = late_rows(counted).select("row.transaction_id", "row.received_at")
first_rows_lost = lost.join(first, ["transaction_id", "received_at"]).count()
