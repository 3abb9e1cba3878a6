# %% `restarts = 0` for `restarts = 5`: was not started again
DA.exercise("08.2")  # removes what an earlier attempt created

from pyspark.errors import StreamingQueryException

yesterdays_schema("archive")  # version 0: four columns

restarts = 0
while True:
    query = (files("archive", **{"cloudFiles.maxFilesPerTrigger": 1}).writeStream
        .option("checkpointLocation", f"{DA.paths.checkpoints}/archive")
        .option("mergeSchema", True)
        .trigger(availableNow=True)
        .toTable("archive"))
    try:
        query.awaitTermination()
        break
    except StreamingQueryException as error:
        if "UNKNOWN_FIELD_EXCEPTION" not in str(error) or restarts == 0:
            raise
        restarts -= 1

# %% without `.option("mergeSchema", True)`: set `mergeSchema`
DA.exercise("08.2")  # removes what an earlier attempt created

from pyspark.errors import StreamingQueryException

yesterdays_schema("archive")  # version 0: four columns

restarts = 5
while True:
    query = (files("archive", **{"cloudFiles.maxFilesPerTrigger": 1}).writeStream
        .option("checkpointLocation", f"{DA.paths.checkpoints}/archive")
        .trigger(availableNow=True)
        .toTable("archive"))
    try:
        query.awaitTermination()
        break
    except StreamingQueryException as error:
        if "UNKNOWN_FIELD_EXCEPTION" not in str(error) or restarts == 0:
            raise
        restarts -= 1

# %% the source is created once, before the loop: was not started again
DA.exercise("08.2")  # removes what an earlier attempt created

from pyspark.errors import StreamingQueryException

yesterdays_schema("archive")  # version 0: four columns

restarts = 5
loaded = files("archive")
while True:
    query = (loaded.writeStream
        .option("checkpointLocation", f"{DA.paths.checkpoints}/archive")
        .option("mergeSchema", True)
        .trigger(availableNow=True)
        .toTable("archive"))
    try:
        query.awaitTermination()
        break
    except StreamingQueryException as error:
        if "UNKNOWN_FIELD_EXCEPTION" not in str(error) or restarts == 0:
            raise
        restarts -= 1

# %% the schema evolution mode `rescue`: has no column
DA.exercise("08.2")  # removes what an earlier attempt created

from pyspark.errors import StreamingQueryException

yesterdays_schema("archive")  # version 0: four columns

restarts = 5
while True:
    query = (files("archive", **{"cloudFiles.schemaEvolutionMode": "rescue"}).writeStream
        .option("checkpointLocation", f"{DA.paths.checkpoints}/archive")
        .option("mergeSchema", True)
        .trigger(availableNow=True)
        .toTable("archive"))
    try:
        query.awaitTermination()
        break
    except StreamingQueryException as error:
        if "UNKNOWN_FIELD_EXCEPTION" not in str(error) or restarts == 0:
            raise
        restarts -= 1

# %% without a limit: more than one of the
DA.exercise("08.2")  # removes what an earlier attempt created

from pyspark.errors import StreamingQueryException

yesterdays_schema("archive")  # version 0: four columns

restarts = 5
while True:
    query = (files("archive", **{}).writeStream
        .option("checkpointLocation", f"{DA.paths.checkpoints}/archive")
        .option("mergeSchema", True)
        .trigger(availableNow=True)
        .toTable("archive"))
    try:
        query.awaitTermination()
        break
    except StreamingQueryException as error:
        if "UNKNOWN_FIELD_EXCEPTION" not in str(error) or restarts == 0:
            raise
        restarts -= 1

# %% `mine` for `archive`: another checkpoint
DA.exercise("08.2")  # removes what an earlier attempt created

from pyspark.errors import StreamingQueryException

yesterdays_schema("archive")  # version 0: four columns

restarts = 5
while True:
    query = (files("archive", **{"cloudFiles.maxFilesPerTrigger": 1}).writeStream
        .option("checkpointLocation", f"{DA.paths.checkpoints}/mine")
        .option("mergeSchema", True)
        .trigger(availableNow=True)
        .toTable("archive"))
    try:
        query.awaitTermination()
        break
    except StreamingQueryException as error:
        if "UNKNOWN_FIELD_EXCEPTION" not in str(error) or restarts == 0:
            raise
        restarts -= 1

# %% `restarts = 50` for `restarts = 5`: restarted more than five times
DA.exercise("08.2")  # removes what an earlier attempt created

from pyspark.errors import StreamingQueryException

yesterdays_schema("archive")  # version 0: four columns

restarts = 50
while True:
    query = (files("archive", **{"cloudFiles.maxFilesPerTrigger": 1}).writeStream
        .option("checkpointLocation", f"{DA.paths.checkpoints}/archive")
        .option("mergeSchema", True)
        .trigger(availableNow=True)
        .toTable("archive"))
    try:
        query.awaitTermination()
        break
    except StreamingQueryException as error:
        if "UNKNOWN_FIELD_EXCEPTION" not in str(error) or restarts == 0:
            raise
        restarts -= 1

# %% `restarts = 4` for `restarts = 5`: gave up after 4 restarts
DA.exercise("08.2")  # removes what an earlier attempt created

from pyspark.errors import StreamingQueryException

yesterdays_schema("archive")  # version 0: four columns

restarts = 4
while True:
    query = (files("archive", **{"cloudFiles.maxFilesPerTrigger": 1}).writeStream
        .option("checkpointLocation", f"{DA.paths.checkpoints}/archive")
        .option("mergeSchema", True)
        .trigger(availableNow=True)
        .toTable("archive"))
    try:
        query.awaitTermination()
        break
    except StreamingQueryException as error:
        if "UNKNOWN_FIELD_EXCEPTION" not in str(error) or restarts == 0:
            raise
        restarts -= 1

# %% without `"UNKNOWN_FIELD_EXCEPTION" not in str(error) or`: because the disk is full
DA.exercise("08.2")  # removes what an earlier attempt created

from pyspark.errors import StreamingQueryException

yesterdays_schema("archive")  # version 0: four columns

restarts = 5
while True:
    query = (files("archive", **{"cloudFiles.maxFilesPerTrigger": 1}).writeStream
        .option("checkpointLocation", f"{DA.paths.checkpoints}/archive")
        .option("mergeSchema", True)
        .trigger(availableNow=True)
        .toTable("archive"))
    try:
        query.awaitTermination()
        break
    except StreamingQueryException as error:
        if restarts == 0:
            raise
        restarts -= 1
