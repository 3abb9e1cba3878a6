# %% without `.option("startingVersion", 0)`: the corrected values
DA.exercise("03.2")  # removes what an earlier attempt created

as_recorded = (spark.readStream
    .option("skipChangeCommits", True)
    .table("bronze")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/as_recorded")
    .trigger(availableNow=True)
    .toTable("as_recorded"))

# %% without `.option("skipChangeCommits", True)`: failed there
DA.exercise("03.2")  # removes what an earlier attempt created

as_recorded = (spark.readStream
    .option("startingVersion", 0)
    .table("bronze")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/as_recorded")
    .trigger(availableNow=True)
    .toTable("as_recorded"))

# %% `", 1)` for `", 0)`: first day is missing
DA.exercise("03.2")  # removes what an earlier attempt created

as_recorded = (spark.readStream
    .option("startingVersion", 1)
    .option("skipChangeCommits", True)
    .table("bronze")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/as_recorded")
    .trigger(availableNow=True)
    .toTable("as_recorded"))

# %% `ignoreChanges` for `skipChangeCommits`: each reading is there twice
DA.exercise("03.2")  # removes what an earlier attempt created

as_recorded = (spark.readStream
    .option("startingVersion", 0)
    .option("ignoreChanges", True)
    .table("bronze")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/as_recorded")
    .trigger(availableNow=True)
    .toTable("as_recorded"))

# %% `silver` for `as_recorded`: belongs to another
DA.exercise("03.2")  # removes what an earlier attempt created

as_recorded = (spark.readStream
    .option("startingVersion", 0)
    .option("skipChangeCommits", True)
    .table("bronze")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/silver")
    .trigger(availableNow=True)
    .toTable("as_recorded"))

# %% without `.trigger(availableNow=True)`: still running
DA.exercise("03.2")  # removes what an earlier attempt created

as_recorded = (spark.readStream
    .option("startingVersion", 0)
    .option("skipChangeCommits", True)
    .table("bronze")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/as_recorded")
    .toTable("as_recorded"))

# %% `read` for `readStream`: raised an error
DA.exercise("03.2")  # removes what an earlier attempt created

as_recorded = (spark.read
    .option("startingVersion", 0)
    .option("skipChangeCommits", True)
    .table("bronze")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/as_recorded")
    .trigger(availableNow=True)
    .toTable("as_recorded"))

# %% without `.option("checkpointLocation", ...)`: raised an error
DA.exercise("03.2")  # removes what an earlier attempt created

as_recorded = (spark.readStream
    .option("startingVersion", 0)
    .option("skipChangeCommits", True)
    .table("bronze")
    .writeStream
    .trigger(availableNow=True)
    .toTable("as_recorded"))
