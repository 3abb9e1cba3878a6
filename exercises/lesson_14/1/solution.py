DA.exercise("14.1")  # removes what an earlier attempt created

broken = (decoded
    .where("edit.meta.id IS NULL")
    .selectExpr("partition", "offset", "CAST(value AS STRING) AS value")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/broken")
    .trigger(availableNow=True)
    .toTable("broken_messages"))
