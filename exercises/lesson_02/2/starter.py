DA.exercise("02.2")  # removes what an earlier attempt created

from pyspark.errors import StreamingQueryException

dying = (one_file_per_batch
    .select("Device", "Index", (F.col("y") / F.col("x")).alias("slope"))
    .writeStream
    .format("parquet")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/slopes")
    .trigger(availableNow=True)
    .start(f"{DA.paths.working_dir}/slopes"))
try:
    dying.awaitTermination(60)
except StreamingQueryException:  # so that this cell continues after the stream has failed
    print("batches that were done:", len(dying.recentProgress))

repaired = None  # start the repaired query here
