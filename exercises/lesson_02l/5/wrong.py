# %% with `rehearsal = ...`: The second run is another query
DA.exercise("02L.5")  # removes what an earlier attempt created

import time

rehearsal = (spark.table("activity_vw")
    .writeStream
    .queryName("rehearsal")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/rehearsal")
    .trigger(processingTime="1 second"))

first_run = rehearsal.toTable("rehearsal")
while first_run.isActive and first_run.lastProgress is None:
    time.sleep(0.1)
first_run.stop()

rehearsal = rehearsal.option("checkpointLocation", f"{DA.paths.checkpoints}/rehearsal_2")
second_run = rehearsal.toTable("rehearsal")
second_run.processAllAvailable()

first_batch = second_run.recentProgress[0]["batchId"]
rows_read = sum(p.numInputRows for p in second_run.recentProgress)

# %% without `first_run.stop()`: call `first_run.stop()` before
DA.exercise("02L.5")  # removes what an earlier attempt created

import time

rehearsal = (spark.table("activity_vw")
    .writeStream
    .queryName("rehearsal")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/rehearsal")
    .trigger(processingTime="1 second"))

first_run = rehearsal.toTable("rehearsal")
while first_run.isActive and first_run.lastProgress is None:
    time.sleep(0.1)

second_run = rehearsal.toTable("rehearsal")
second_run.processAllAvailable()

first_batch = second_run.recentProgress[0]["batchId"]
rows_read = sum(p.numInputRows for p in second_run.recentProgress)

# %% without the wait: before its first batch was done
DA.exercise("02L.5")  # removes what an earlier attempt created

import time

rehearsal = (spark.table("activity_vw")
    .writeStream
    .queryName("rehearsal")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/rehearsal")
    .trigger(processingTime="1 second"))

first_run = rehearsal.toTable("rehearsal")
first_run.stop()

second_run = rehearsal.toTable("rehearsal")
second_run.processAllAvailable()

first_batch = second_run.recentProgress[0]["batchId"]
rows_read = sum(p.numInputRows for p in second_run.recentProgress)

# %% the first run processes everything: The first run has read everything
DA.exercise("02L.5")  # removes what an earlier attempt created

import time

rehearsal = (spark.table("activity_vw")
    .writeStream
    .queryName("rehearsal")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/rehearsal")
    .trigger(processingTime="1 second"))

first_run = rehearsal.toTable("rehearsal")
first_run.processAllAvailable()
first_run.stop()

second_run = rehearsal.toTable("rehearsal")
second_run.processAllAvailable()

first_batch = second_run.recentProgress[0]["batchId"]
rows_read = sum(p.numInputRows for p in second_run.recentProgress)

# %% `first_run` for `rehearsal.toTable("rehearsal")`: is `first_run` itself
DA.exercise("02L.5")  # removes what an earlier attempt created

import time

rehearsal = (spark.table("activity_vw")
    .writeStream
    .queryName("rehearsal")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/rehearsal")
    .trigger(processingTime="1 second"))

first_run = rehearsal.toTable("rehearsal")
while first_run.isActive and first_run.lastProgress is None:
    time.sleep(0.1)
first_run.stop()

second_run = first_run
second_run.processAllAvailable()

first_batch = second_run.recentProgress[0]["batchId"]
rows_read = sum(p.numInputRows for p in second_run.recentProgress)

# %% with `trigger(availableNow=True).`: This stream must keep running
DA.exercise("02L.5")  # removes what an earlier attempt created

import time

rehearsal = (spark.table("activity_vw")
    .writeStream
    .queryName("rehearsal")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/rehearsal")
    .trigger(processingTime="1 second"))

first_run = rehearsal.toTable("rehearsal")
while first_run.isActive and first_run.lastProgress is None:
    time.sleep(0.1)
first_run.stop()

second_run = rehearsal.trigger(availableNow=True).toTable("rehearsal")
second_run.processAllAvailable()

first_batch = second_run.recentProgress[0]["batchId"]
rows_read = sum(p.numInputRows for p in second_run.recentProgress)

# %% `first_run` for `second_run`: Batch 0 belongs to the first run
DA.exercise("02L.5")  # removes what an earlier attempt created

import time

rehearsal = (spark.table("activity_vw")
    .writeStream
    .queryName("rehearsal")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/rehearsal")
    .trigger(processingTime="1 second"))

first_run = rehearsal.toTable("rehearsal")
while first_run.isActive and first_run.lastProgress is None:
    time.sleep(0.1)
first_run.stop()

second_run = rehearsal.toTable("rehearsal")
second_run.processAllAvailable()

first_batch = first_run.recentProgress[0]["batchId"]
rows_read = sum(p.numInputRows for p in second_run.recentProgress)

# %% `lastProgress` for `recentProgress[0]`: in the newest report
DA.exercise("02L.5")  # removes what an earlier attempt created

import time

rehearsal = (spark.table("activity_vw")
    .writeStream
    .queryName("rehearsal")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/rehearsal")
    .trigger(processingTime="1 second"))

first_run = rehearsal.toTable("rehearsal")
while first_run.isActive and first_run.lastProgress is None:
    time.sleep(0.1)
first_run.stop()

second_run = rehearsal.toTable("rehearsal")
second_run.processAllAvailable()

first_batch = second_run.lastProgress["batchId"]
rows_read = sum(p.numInputRows for p in second_run.recentProgress)

# %% without `["batchId"]`: a report's `batchId`
DA.exercise("02L.5")  # removes what an earlier attempt created

import time

rehearsal = (spark.table("activity_vw")
    .writeStream
    .queryName("rehearsal")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/rehearsal")
    .trigger(processingTime="1 second"))

first_run = rehearsal.toTable("rehearsal")
while first_run.isActive and first_run.lastProgress is None:
    time.sleep(0.1)
first_run.stop()

second_run = rehearsal.toTable("rehearsal")
second_run.processAllAvailable()

first_batch = second_run.recentProgress[0]
rows_read = sum(p.numInputRows for p in second_run.recentProgress)

# %% waits for one batch of the second run: was not finished
DA.exercise("02L.5")  # removes what an earlier attempt created

import time

rehearsal = (spark.table("activity_vw")
    .writeStream
    .queryName("rehearsal")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/rehearsal")
    .trigger(processingTime="1 second"))

first_run = rehearsal.toTable("rehearsal")
while first_run.isActive and first_run.lastProgress is None:
    time.sleep(0.1)
first_run.stop()

second_run = rehearsal.toTable("rehearsal")
DA.block_until_stream_is_ready(second_run, min_batches=1)

first_batch = second_run.recentProgress[0]["batchId"]
rows_read = sum(p.numInputRows for p in second_run.recentProgress)

# %% `first_run` for `second_run`: rows in the first run
DA.exercise("02L.5")  # removes what an earlier attempt created

import time

rehearsal = (spark.table("activity_vw")
    .writeStream
    .queryName("rehearsal")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/rehearsal")
    .trigger(processingTime="1 second"))

first_run = rehearsal.toTable("rehearsal")
while first_run.isActive and first_run.lastProgress is None:
    time.sleep(0.1)
first_run.stop()

second_run = rehearsal.toTable("rehearsal")
second_run.processAllAvailable()

first_batch = second_run.recentProgress[0]["batchId"]
rows_read = sum(p.numInputRows for p in first_run.recentProgress)

# %% without the last two lines: What is missing is `first_batch`
DA.exercise("02L.5")  # removes what an earlier attempt created

import time

rehearsal = (spark.table("activity_vw")
    .writeStream
    .queryName("rehearsal")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/rehearsal")
    .trigger(processingTime="1 second"))

first_run = rehearsal.toTable("rehearsal")
while first_run.isActive and first_run.lastProgress is None:
    time.sleep(0.1)
first_run.stop()

second_run = rehearsal.toTable("rehearsal")
second_run.processAllAvailable()
