# %% grouped by `received_at` as well: those whose rows were in one batch
DA.exercise("10.3")  # removes what an earlier attempt created

spark.sql("""CREATE TABLE IF NOT EXISTS settled (transaction_id STRING, card_id INT,
    amount DOUBLE, event_time TIMESTAMP, received_at TIMESTAMP)""")


def settle(batch, batch_id):
    (batch
        .groupBy("transaction_id", "card_id", "amount", "event_time", "received_at").agg(F.lit(1).alias("one")).drop("one")
        .createOrReplaceTempView("first_of_batch"))
    batch.sparkSession.sql("""
        MERGE INTO settled USING first_of_batch AS new ON settled.transaction_id = new.transaction_id
        WHEN NOT MATCHED THEN INSERT *""")


settling = (transactions
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/settled")
    .foreachBatch(settle)
    .trigger(availableNow=True)
    .start())
settling.awaitTermination()

# %% inserted, not merged: Insert only those that the table does not have
DA.exercise("10.3")  # removes what an earlier attempt created

spark.sql("""CREATE TABLE IF NOT EXISTS settled (transaction_id STRING, card_id INT,
    amount DOUBLE, event_time TIMESTAMP, received_at TIMESTAMP)""")


def settle(batch, batch_id):
    (batch
        .groupBy("transaction_id", "card_id", "amount", "event_time")
        .agg(F.min("received_at").alias("received_at"))
        .createOrReplaceTempView("first_of_batch"))
    batch.sparkSession.sql("INSERT INTO settled SELECT * FROM first_of_batch")


settling = (transactions
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/settled")
    .foreachBatch(settle)
    .trigger(availableNow=True)
    .start())
settling.awaitTermination()

# %% `F.max("` for `F.min("`: is not always the first one
DA.exercise("10.3")  # removes what an earlier attempt created

spark.sql("""CREATE TABLE IF NOT EXISTS settled (transaction_id STRING, card_id INT,
    amount DOUBLE, event_time TIMESTAMP, received_at TIMESTAMP)""")


def settle(batch, batch_id):
    (batch
        .groupBy("transaction_id", "card_id", "amount", "event_time")
        .agg(F.max("received_at").alias("received_at"))
        .createOrReplaceTempView("first_of_batch"))
    batch.sparkSession.sql("""
        MERGE INTO settled USING first_of_batch AS new ON settled.transaction_id = new.transaction_id
        WHEN NOT MATCHED THEN INSERT *""")


settling = (transactions
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/settled")
    .foreachBatch(settle)
    .trigger(availableNow=True)
    .start())
settling.awaitTermination()

# %% with `WHEN MATCHED THEN UPDATE SET *`: is not always the first one
DA.exercise("10.3")  # removes what an earlier attempt created

spark.sql("""CREATE TABLE IF NOT EXISTS settled (transaction_id STRING, card_id INT,
    amount DOUBLE, event_time TIMESTAMP, received_at TIMESTAMP)""")


def settle(batch, batch_id):
    (batch
        .groupBy("transaction_id", "card_id", "amount", "event_time")
        .agg(F.min("received_at").alias("received_at"))
        .createOrReplaceTempView("first_of_batch"))
    batch.sparkSession.sql("""
        MERGE INTO settled USING first_of_batch AS new ON settled.transaction_id = new.transaction_id
        WHEN MATCHED THEN UPDATE SET *
        WHEN NOT MATCHED THEN INSERT *""")


settling = (transactions
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/settled")
    .foreachBatch(settle)
    .trigger(availableNow=True)
    .start())
settling.awaitTermination()

# %% `.option("checkpointLocation", f"{DA.paths.checkpoints}/new")`: `settled` was asked for
DA.exercise("10.3")  # removes what an earlier attempt created

spark.sql("""CREATE TABLE IF NOT EXISTS settled (transaction_id STRING, card_id INT,
    amount DOUBLE, event_time TIMESTAMP, received_at TIMESTAMP)""")


def settle(batch, batch_id):
    (batch
        .groupBy("transaction_id", "card_id", "amount", "event_time")
        .agg(F.min("received_at").alias("received_at"))
        .createOrReplaceTempView("first_of_batch"))
    batch.sparkSession.sql("""
        MERGE INTO settled USING first_of_batch AS new ON settled.transaction_id = new.transaction_id
        WHEN NOT MATCHED THEN INSERT *""")


settling = (transactions
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/new")
    .foreachBatch(settle)
    .trigger(availableNow=True)
    .start())
settling.awaitTermination()
