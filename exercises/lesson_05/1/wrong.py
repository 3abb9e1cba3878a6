# %% without a trigger: has the trigger
DA.exercise("05.1")  # removes what an earlier attempt created

writer = readings.writeStream

if writer is not None:
    every_four = (writer
        .format("noop")
        .option("checkpointLocation", f"{DA.paths.checkpoints}/every_four")
        .start())

# %% `4 minutes` for `4 seconds`: has the trigger
DA.exercise("05.1")  # removes what an earlier attempt created

writer = readings.writeStream.trigger(processingTime="4 minutes")

if writer is not None:
    every_four = (writer
        .format("noop")
        .option("checkpointLocation", f"{DA.paths.checkpoints}/every_four")
        .start())

# %% `availableNow` for an interval: ends by itself
DA.exercise("05.1")  # removes what an earlier attempt created

writer = readings.writeStream.trigger(availableNow=True)

if writer is not None:
    every_four = (writer
        .format("noop")
        .option("checkpointLocation", f"{DA.paths.checkpoints}/every_four")
        .start())

# %% `once` for an interval: ends by itself
DA.exercise("05.1")  # removes what an earlier attempt created

writer = readings.writeStream.trigger(once=True)

if writer is not None:
    every_four = (writer
        .format("noop")
        .option("checkpointLocation", f"{DA.paths.checkpoints}/every_four")
        .start())

# %% a number for text: raised an error
DA.exercise("05.1")  # removes what an earlier attempt created

writer = readings.writeStream.trigger(processingTime=4)

if writer is not None:
    every_four = (writer
        .format("noop")
        .option("checkpointLocation", f"{DA.paths.checkpoints}/every_four")
        .start())

# %% the trigger on the reader: raised an error
DA.exercise("05.1")  # removes what an earlier attempt created

writer = readings.trigger(processingTime="4 seconds").writeStream

if writer is not None:
    every_four = (writer
        .format("noop")
        .option("checkpointLocation", f"{DA.paths.checkpoints}/every_four")
        .start())
