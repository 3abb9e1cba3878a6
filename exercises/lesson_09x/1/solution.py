DA.exercise("09X.1")  # removes what an earlier attempt created

rejecting = (taps.where("(event_time <= received + INTERVAL 5 MINUTES) IS NOT TRUE")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/rejected")
    .trigger(availableNow=True)
    .toTable("rejected_taps"))
