# %% without a watermark: It needs a watermark
DA.exercise("16L.5")  # removes what an earlier attempt created

cured = (spark.readStream.format("cloudFiles")
    .option("cloudFiles.format", "json")
    .schema(HEARTBEAT)
    .load(DA.paths.landing)
    .dropDuplicates(["oven", "at"])
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/cured")
    .toTable("cured"))

# %% without removing duplicates: on other heartbeats
DA.exercise("16L.5")  # removes what an earlier attempt created

cured = (spark.readStream.format("cloudFiles")
    .option("cloudFiles.format", "json")
    .schema(HEARTBEAT)
    .load(DA.paths.landing)
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/cured")
    .toTable("cured"))

# %% with `.option("cloudFiles.maxFilesPerTrigger", 2)`: took 6 batches
DA.exercise("16L.5")  # removes what an earlier attempt created

cured = (spark.readStream.format("cloudFiles")
    .option("cloudFiles.format", "json")
    .option("cloudFiles.maxFilesPerTrigger", 2)
    .schema(HEARTBEAT)
    .load(DA.paths.landing)
    .withWatermark("at", "15 minutes")
    .dropDuplicatesWithinWatermark(["oven", "at"])
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/cured")
    .toTable("cured"))

# %% with `.partitionBy("oven")`: files. Each batch
DA.exercise("16L.5")  # removes what an earlier attempt created

cured = (spark.readStream.format("cloudFiles")
    .option("cloudFiles.format", "json")
    .schema(HEARTBEAT)
    .load(DA.paths.landing)
    .withWatermark("at", "15 minutes")
    .dropDuplicatesWithinWatermark(["oven", "at"])
    .writeStream
    .partitionBy("oven")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/cured")
    .toTable("cured"))

# %% `.withWatermark("at", "1 minute")`: on other heartbeats
DA.exercise("16L.5")  # removes what an earlier attempt created

cured = (spark.readStream.format("cloudFiles")
    .option("cloudFiles.format", "json")
    .schema(HEARTBEAT)
    .load(DA.paths.landing)
    .withWatermark("at", "1 minute")
    .dropDuplicatesWithinWatermark(["oven", "at"])
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/cured")
    .toTable("cured"))

# %% `.withWatermark("at", "2 hours")`: The state has
DA.exercise("16L.5")  # removes what an earlier attempt created

cured = (spark.readStream.format("cloudFiles")
    .option("cloudFiles.format", "json")
    .schema(HEARTBEAT)
    .load(DA.paths.landing)
    .withWatermark("at", "2 hours")
    .dropDuplicatesWithinWatermark(["oven", "at"])
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/cured")
    .toTable("cured"))

# %% `oven"])` for `oven", "at"])`: `cured`
DA.exercise("16L.5")  # removes what an earlier attempt created

cured = (spark.readStream.format("cloudFiles")
    .option("cloudFiles.format", "json")
    .schema(HEARTBEAT)
    .load(DA.paths.landing)
    .withWatermark("at", "15 minutes")
    .dropDuplicatesWithinWatermark(["oven"])
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/cured")
    .toTable("cured"))

# %% `sick` for `cured`: checkpoint
DA.exercise("16L.5")  # removes what an earlier attempt created

cured = (spark.readStream.format("cloudFiles")
    .option("cloudFiles.format", "json")
    .schema(HEARTBEAT)
    .load(DA.paths.landing)
    .withWatermark("at", "15 minutes")
    .dropDuplicatesWithinWatermark(["oven", "at"])
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/sick")
    .toTable("cured"))

# %% with `.trigger(availableNow=True)`: must keep running
DA.exercise("16L.5")  # removes what an earlier attempt created

cured = (spark.readStream.format("cloudFiles")
    .option("cloudFiles.format", "json")
    .schema(HEARTBEAT)
    .load(DA.paths.landing)
    .withWatermark("at", "15 minutes")
    .dropDuplicatesWithinWatermark(["oven", "at"])
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/cured")
    .trigger(availableNow=True)
    .toTable("cured"))
