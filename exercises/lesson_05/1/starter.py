DA.exercise("05.1")  # removes what an earlier attempt created

writer = None  # readings.writeStream, with a trigger: every four seconds

if writer is not None:
    every_four = (writer
        .format("noop")
        .option("checkpointLocation", f"{DA.paths.checkpoints}/every_four")
        .start())
