# %% `SELECT device_id, heartrate, time`, without `GROUP BY device_id`: Group `batch_vw` by device first
DA.exercise("04.2")  # removes what an earlier attempt created

spark.sql("CREATE TABLE last_readings (device_id INT, heartrate DOUBLE, time DOUBLE)")

def keep_last(batch, batch_id):
    batch.createOrReplaceTempView("batch_vw")
    batch.sparkSession.sql("""
        MERGE INTO last_readings AS old
        USING (
            SELECT device_id, heartrate, time
            FROM batch_vw
        ) AS new
        ON old.device_id = new.device_id
        WHEN MATCHED AND new.time > old.time THEN UPDATE SET *
        WHEN NOT MATCHED THEN INSERT *
    """)

last_stream = (readings.writeStream
    .foreachBatch(keep_last)
    .option("checkpointLocation", f"{DA.paths.checkpoints}/last_readings")
    .trigger(availableNow=True)
    .start())

# %% without `WHEN MATCHED AND new.time > old.time THEN UPDATE SET *`: the last readings of the first batch
DA.exercise("04.2")  # removes what an earlier attempt created

spark.sql("CREATE TABLE last_readings (device_id INT, heartrate DOUBLE, time DOUBLE)")

def keep_last(batch, batch_id):
    batch.createOrReplaceTempView("batch_vw")
    batch.sparkSession.sql("""
        MERGE INTO last_readings AS old
        USING (
            SELECT device_id, max_by(heartrate, time) AS heartrate, max(time) AS time
            FROM batch_vw
            GROUP BY device_id
        ) AS new
        ON old.device_id = new.device_id
        WHEN NOT MATCHED THEN INSERT *
    """)

last_stream = (readings.writeStream
    .foreachBatch(keep_last)
    .option("checkpointLocation", f"{DA.paths.checkpoints}/last_readings")
    .trigger(availableNow=True)
    .start())

# %% `max(heartrate` for `max_by(heartrate, time`: the highest of the batch
DA.exercise("04.2")  # removes what an earlier attempt created

spark.sql("CREATE TABLE last_readings (device_id INT, heartrate DOUBLE, time DOUBLE)")

def keep_last(batch, batch_id):
    batch.createOrReplaceTempView("batch_vw")
    batch.sparkSession.sql("""
        MERGE INTO last_readings AS old
        USING (
            SELECT device_id, max(heartrate) AS heartrate, max(time) AS time
            FROM batch_vw
            GROUP BY device_id
        ) AS new
        ON old.device_id = new.device_id
        WHEN MATCHED AND new.time > old.time THEN UPDATE SET *
        WHEN NOT MATCHED THEN INSERT *
    """)

last_stream = (readings.writeStream
    .foreachBatch(keep_last)
    .option("checkpointLocation", f"{DA.paths.checkpoints}/last_readings")
    .trigger(availableNow=True)
    .start())

# %% `last(heartrate` for `max_by(heartrate, time`: not in the order of their times
DA.exercise("04.2")  # removes what an earlier attempt created

spark.sql("CREATE TABLE last_readings (device_id INT, heartrate DOUBLE, time DOUBLE)")

def keep_last(batch, batch_id):
    batch.createOrReplaceTempView("batch_vw")
    batch.sparkSession.sql("""
        MERGE INTO last_readings AS old
        USING (
            SELECT device_id, last(heartrate) AS heartrate, max(time) AS time
            FROM batch_vw
            GROUP BY device_id
        ) AS new
        ON old.device_id = new.device_id
        WHEN MATCHED AND new.time > old.time THEN UPDATE SET *
        WHEN NOT MATCHED THEN INSERT *
    """)

last_stream = (readings.writeStream
    .foreachBatch(keep_last)
    .option("checkpointLocation", f"{DA.paths.checkpoints}/last_readings")
    .trigger(availableNow=True)
    .start())

# %% with `AND old.time = new.time`: more than one row
DA.exercise("04.2")  # removes what an earlier attempt created

spark.sql("CREATE TABLE last_readings (device_id INT, heartrate DOUBLE, time DOUBLE)")

def keep_last(batch, batch_id):
    batch.createOrReplaceTempView("batch_vw")
    batch.sparkSession.sql("""
        MERGE INTO last_readings AS old
        USING (
            SELECT device_id, max_by(heartrate, time) AS heartrate, max(time) AS time
            FROM batch_vw
            GROUP BY device_id
        ) AS new
        ON old.device_id = new.device_id AND old.time = new.time
        WHEN MATCHED AND new.time > old.time THEN UPDATE SET *
        WHEN NOT MATCHED THEN INSERT *
    """)

last_stream = (readings.writeStream
    .foreachBatch(keep_last)
    .option("checkpointLocation", f"{DA.paths.checkpoints}/last_readings")
    .trigger(availableNow=True)
    .start())

# %% without `WHEN NOT MATCHED THEN INSERT *`: `last_readings` is empty
DA.exercise("04.2")  # removes what an earlier attempt created

spark.sql("CREATE TABLE last_readings (device_id INT, heartrate DOUBLE, time DOUBLE)")

def keep_last(batch, batch_id):
    batch.createOrReplaceTempView("batch_vw")
    batch.sparkSession.sql("""
        MERGE INTO last_readings AS old
        USING (
            SELECT device_id, max_by(heartrate, time) AS heartrate, max(time) AS time
            FROM batch_vw
            GROUP BY device_id
        ) AS new
        ON old.device_id = new.device_id
        WHEN MATCHED AND new.time > old.time THEN UPDATE SET *
    """)

last_stream = (readings.writeStream
    .foreachBatch(keep_last)
    .option("checkpointLocation", f"{DA.paths.checkpoints}/last_readings")
    .trigger(availableNow=True)
    .start())

# %% `merge` for `last_readings`: belongs to
DA.exercise("04.2")  # removes what an earlier attempt created

spark.sql("CREATE TABLE last_readings (device_id INT, heartrate DOUBLE, time DOUBLE)")

def keep_last(batch, batch_id):
    batch.createOrReplaceTempView("batch_vw")
    batch.sparkSession.sql("""
        MERGE INTO last_readings AS old
        USING (
            SELECT device_id, max_by(heartrate, time) AS heartrate, max(time) AS time
            FROM batch_vw
            GROUP BY device_id
        ) AS new
        ON old.device_id = new.device_id
        WHEN MATCHED AND new.time > old.time THEN UPDATE SET *
        WHEN NOT MATCHED THEN INSERT *
    """)

last_stream = (readings.writeStream
    .foreachBatch(keep_last)
    .option("checkpointLocation", f"{DA.paths.checkpoints}/merge")
    .trigger(availableNow=True)
    .start())

# %% without `.trigger(availableNow=True)`: still running
DA.exercise("04.2")  # removes what an earlier attempt created

spark.sql("CREATE TABLE last_readings (device_id INT, heartrate DOUBLE, time DOUBLE)")

def keep_last(batch, batch_id):
    batch.createOrReplaceTempView("batch_vw")
    batch.sparkSession.sql("""
        MERGE INTO last_readings AS old
        USING (
            SELECT device_id, max_by(heartrate, time) AS heartrate, max(time) AS time
            FROM batch_vw
            GROUP BY device_id
        ) AS new
        ON old.device_id = new.device_id
        WHEN MATCHED AND new.time > old.time THEN UPDATE SET *
        WHEN NOT MATCHED THEN INSERT *
    """)

last_stream = (readings.writeStream
    .foreachBatch(keep_last)
    .option("checkpointLocation", f"{DA.paths.checkpoints}/last_readings")
    .start())

# %% `NOT MATCHED` for `WHEN NOT MATCHED`: has failed
DA.exercise("04.2")  # removes what an earlier attempt created

spark.sql("CREATE TABLE last_readings (device_id INT, heartrate DOUBLE, time DOUBLE)")

def keep_last(batch, batch_id):
    batch.createOrReplaceTempView("batch_vw")
    batch.sparkSession.sql("""
        MERGE INTO last_readings AS old
        USING (
            SELECT device_id, max_by(heartrate, time) AS heartrate, max(time) AS time
            FROM batch_vw
            GROUP BY device_id
        ) AS new
        ON old.device_id = new.device_id
        WHEN MATCHED AND new.time > old.time THEN UPDATE SET *
        NOT MATCHED THEN INSERT *
    """)

last_stream = (readings.writeStream
    .foreachBatch(keep_last)
    .option("checkpointLocation", f"{DA.paths.checkpoints}/last_readings")
    .trigger(availableNow=True)
    .start())
