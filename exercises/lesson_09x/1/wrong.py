# %% `NOT` for `IS NOT TRUE`: other taps
DA.exercise("09X.1")  # removes what an earlier attempt created

rejecting = (taps.where("NOT (event_time <= received + INTERVAL 5 MINUTES)")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/rejected")
    .trigger(availableNow=True)
    .toTable("rejected_taps"))

# %% `<=` is kept: lets through
DA.exercise("09X.1")  # removes what an earlier attempt created

rejecting = (taps.where("event_time <= received + INTERVAL 5 MINUTES")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/rejected")
    .trigger(availableNow=True)
    .toTable("rejected_taps"))

# %% without the five minutes: other taps
DA.exercise("09X.1")  # removes what an earlier attempt created

rejecting = (taps.where("(event_time <= received) IS NOT TRUE")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/rejected")
    .trigger(availableNow=True)
    .toTable("rejected_taps"))

# %% without a trigger that ends: still running
DA.exercise("09X.1")  # removes what an earlier attempt created

rejecting = (taps.where("(event_time <= received + INTERVAL 5 MINUTES) IS NOT TRUE")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/rejected")
    .toTable("rejected_taps"))
