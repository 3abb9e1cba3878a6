# %% without `.meta.id`: Only messages without a value
DA.exercise("14.1")  # removes what an earlier attempt created

broken = (decoded
    .where("edit IS NULL")
    .selectExpr("partition", "offset", "CAST(value AS STRING) AS value")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/broken")
    .trigger(availableNow=True)
    .toTable("broken_messages"))

# %% with `value IS NOT NULL AND`: messages without a value are missing
DA.exercise("14.1")  # removes what an earlier attempt created

broken = (decoded
    .where("value IS NOT NULL AND edit.meta.id IS NULL")
    .selectExpr("partition", "offset", "CAST(value AS STRING) AS value")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/broken")
    .trigger(availableNow=True)
    .toTable("broken_messages"))

# %% without `.where("edit.meta.id IS NULL")`: the edits too
DA.exercise("14.1")  # removes what an earlier attempt created

broken = (decoded
    .selectExpr("partition", "offset", "CAST(value AS STRING) AS value")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/broken")
    .trigger(availableNow=True)
    .toTable("broken_messages"))

# %% from `edits`: begin with `decoded`
DA.exercise("14.1")  # removes what an earlier attempt created

broken = (edits
    .where("id IS NULL")
    .selectExpr("id", "title", "user")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/broken")
    .trigger(availableNow=True)
    .toTable("broken_messages"))

# %% without `CAST(value AS STRING) AS`: is bytes
DA.exercise("14.1")  # removes what an earlier attempt created

broken = (decoded
    .where("edit.meta.id IS NULL")
    .selectExpr("partition", "offset", "value")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/broken")
    .trigger(availableNow=True)
    .toTable("broken_messages"))

# %% without `.trigger(availableNow=True)`: still running
DA.exercise("14.1")  # removes what an earlier attempt created

broken = (decoded
    .where("edit.meta.id IS NULL")
    .selectExpr("partition", "offset", "CAST(value AS STRING) AS value")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/broken")
    .toTable("broken_messages"))

# %% `other` for `broken`: was asked for
DA.exercise("14.1")  # removes what an earlier attempt created

broken = (decoded
    .where("edit.meta.id IS NULL")
    .selectExpr("partition", "offset", "CAST(value AS STRING) AS value")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/other")
    .trigger(availableNow=True)
    .toTable("broken_messages"))
