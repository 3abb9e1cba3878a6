# %% duplicates by all columns: has another `received`
DA.exercise("15L.4")  # removes what an earlier attempt created


@dp.table
def once():
    lines = spark.readStream.table("placed")
    return lines.dropDuplicates()


update = run_pipeline()

# %% without `, "measured"`: one row for each gauge
DA.exercise("15L.4")  # removes what an earlier attempt created

dp.create_streaming_table("once")
dp.create_auto_cdc_flow(
    target="once", source="placed", keys=["station"], sequence_by="received")

update = run_pipeline()

# %% duplicates by station and level: that are not duplicates
DA.exercise("15L.4")  # removes what an earlier attempt created


@dp.table
def once():
    lines = spark.readStream.table("placed").withWatermark("measured", "2 days")
    return lines.dropDuplicatesWithinWatermark(["station", "level"])


update = run_pipeline()

# %% a watermark of an hour: behind the watermark
DA.exercise("15L.4")  # removes what an earlier attempt created


@dp.table
def once():
    lines = spark.readStream.table("placed").withWatermark("measured", "1 hour")
    return lines.dropDuplicatesWithinWatermark(["station", "measured"])


update = run_pipeline()

# %% a window function as an expectation: The update has failed
@dp.table
@dp.expect_or_drop("once", "count(*) OVER (PARTITION BY station, measured) = 1")
def once():
    return spark.readStream.table("placed")


update = run_pipeline()

# %% without `dp.create_streaming_table("once")`: The update has failed
DA.exercise("15L.4")  # removes what an earlier attempt created

dp.create_auto_cdc_flow(
    target="once", source="placed", keys=["station", "measured"], sequence_by="received")

update = run_pipeline()
