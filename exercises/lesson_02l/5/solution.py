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
rows_read = sum(p.numInputRows for p in second_run.recentProgress)
