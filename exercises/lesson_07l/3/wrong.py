# %% without `.option("txnAppId", "ward")` to `.option("txnVersion", batch_id)`: and wrote it again
DA.exercise("07L.3")  # removes what an earlier attempt created
break_ward()  # and breaks it again

spark.sql("INSERT OVERWRITE ward SELECT DISTINCT * FROM ward")


def save_readings(batch, batch_id):
    (batch.write
        .mode("append")
        .saveAsTable("ward"))

# %% without `spark.sql("INSERT OVERWRITE ward SELECT ...`: the second day twice, as before
DA.exercise("07L.3")  # removes what an earlier attempt created
break_ward()  # and breaks it again



def save_readings(batch, batch_id):
    (batch.write
        .option("txnAppId", "ward")
        .option("txnVersion", batch_id)
        .mode("append")
        .saveAsTable("ward"))

# %% an empty function: adds nothing to it
DA.exercise("07L.3")  # removes what an earlier attempt created
break_ward()  # and breaks it again

spark.sql("INSERT OVERWRITE ward SELECT DISTINCT * FROM ward")


def save_readings(batch, batch_id):
    pass  # add the batch to the table `ward`, so that calling it twice is safe

# %% `.option("txnVersion", 1)`: the fourth is missing
DA.exercise("07L.3")  # removes what an earlier attempt created
break_ward()  # and breaks it again

spark.sql("INSERT OVERWRITE ward SELECT DISTINCT * FROM ward")


def save_readings(batch, batch_id):
    (batch.write
        .option("txnAppId", "ward")
        .option("txnVersion", 1)
        .mode("append")
        .saveAsTable("ward"))

# %% overwrites the table: the last batch only
DA.exercise("07L.3")  # removes what an earlier attempt created
break_ward()  # and breaks it again

spark.sql("INSERT OVERWRITE ward SELECT DISTINCT * FROM ward")


def save_readings(batch, batch_id):
    (batch.write
        .mode("overwrite")
        .saveAsTable("ward"))

# %% a MERGE by device alone: No row of a new day
DA.exercise("07L.3")  # removes what an earlier attempt created
break_ward()  # and breaks it again

spark.sql("INSERT OVERWRITE ward SELECT DISTINCT * FROM ward")


def save_readings(batch, batch_id):
    batch.createOrReplaceTempView("batch_vw")
    batch.sparkSession.sql("""
        MERGE INTO ward AS old
        USING batch_vw AS new
        ON old.device_id = new.device_id
        WHEN NOT MATCHED THEN INSERT *
    """)

# %% a MERGE by time alone: at the same time
DA.exercise("07L.3")  # removes what an earlier attempt created
break_ward()  # and breaks it again

spark.sql("INSERT OVERWRITE ward SELECT DISTINCT * FROM ward")


def save_readings(batch, batch_id):
    batch.createOrReplaceTempView("batch_vw")
    batch.sparkSession.sql("""
        MERGE INTO ward AS old
        USING batch_vw AS new
        ON old.time = new.time
        WHEN NOT MATCHED THEN INSERT *
    """)

# %% without `.option("txnAppId", "ward")`: has failed
DA.exercise("07L.3")  # removes what an earlier attempt created
break_ward()  # and breaks it again

spark.sql("INSERT OVERWRITE ward SELECT DISTINCT * FROM ward")


def save_readings(batch, batch_id):
    (batch.write
        .option("txnVersion", batch_id)
        .mode("append")
        .saveAsTable("ward"))
