# %% `(F.col("y") / F.col("x")` for `F.try_divide("y", "x"`: Your stream has failed
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


repaired = (one_file_per_batch
    .select("Device", "Index", (F.col("y") / F.col("x")).alias("slope"))
    .writeStream
    .format("parquet")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/slopes")
    .trigger(availableNow=True)
    .start(f"{DA.paths.working_dir}/slopes"))

# %% `slopes_repaired` for `slopes`: is a new query
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


repaired = (one_file_per_batch
    .select("Device", "Index", F.try_divide("y", "x").alias("slope"))
    .writeStream
    .format("parquet")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/slopes_repaired")
    .trigger(availableNow=True)
    .start(f"{DA.paths.working_dir}/slopes"))

# %% `slopes_repaired` for `slopes`: writes to another directory
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


repaired = (one_file_per_batch
    .select("Device", "Index", F.try_divide("y", "x").alias("slope"))
    .writeStream
    .format("parquet")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/slopes")
    .trigger(availableNow=True)
    .start(f"{DA.paths.working_dir}/slopes_repaired"))

# %% with `.where("x != 0")`: whose `x` is 0 is missing
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


repaired = (one_file_per_batch
    .where("x != 0")
    .select("Device", "Index", F.try_divide("y", "x").alias("slope"))
    .writeStream
    .format("parquet")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/slopes")
    .trigger(availableNow=True)
    .start(f"{DA.paths.working_dir}/slopes"))

# %% `expr("coalesce(try_divide(y, x), 0)` for `try_divide("y", "x`: 1 row is missing and 1 row should not be there
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


repaired = (one_file_per_batch
    .select("Device", "Index", F.expr("coalesce(try_divide(y, x), 0)").alias("slope"))
    .writeStream
    .format("parquet")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/slopes")
    .trigger(availableNow=True)
    .start(f"{DA.paths.working_dir}/slopes"))

# %% without `.trigger(availableNow=True)`: still running
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


repaired = (one_file_per_batch
    .select("Device", "Index", F.try_divide("y", "x").alias("slope"))
    .writeStream
    .format("parquet")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/slopes")
    .start(f"{DA.paths.working_dir}/slopes"))

# %% repaired in the query that must fail: `dying` has not failed
DA.exercise("02.2")  # removes what an earlier attempt created

from pyspark.errors import StreamingQueryException

dying = (one_file_per_batch
    .select("Device", "Index", F.try_divide("y", "x").alias("slope"))
    .writeStream
    .format("parquet")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/slopes")
    .trigger(availableNow=True)
    .start(f"{DA.paths.working_dir}/slopes"))
try:
    dying.awaitTermination(60)
except StreamingQueryException:  # so that this cell continues after the stream has failed
    print("batches that were done:", len(dying.recentProgress))

repaired = dying

# %% `save` for `start`: raised an error
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


repaired = (one_file_per_batch
    .select("Device", "Index", F.try_divide("y", "x").alias("slope"))
    .writeStream
    .format("parquet")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/slopes")
    .trigger(availableNow=True)
    .save(f"{DA.paths.working_dir}/slopes"))
