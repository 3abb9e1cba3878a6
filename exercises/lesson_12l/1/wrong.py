# %% `upper(trim(card)` for `regexp_replace(upper(trim(card)), '-0+', '-'`: one spelling
DA.exercise("12L.1")  # removes what an earlier attempt created

spark.sql("""CREATE TABLE change_log (card STRING, at STRUCT<sequence: LONG, changed_at: TIMESTAMP>,
    operation STRING, name STRING, email STRING, city STRING)""")

changes = landing.withColumn("card", F.expr("upper(trim(card))"))


def log_changes(batch, batch_id):
    batch.dropDuplicates(["card", "at"]).createOrReplaceTempView("batch")
    batch.sparkSession.sql("""
        MERGE INTO change_log AS old USING batch AS new ON old.card = new.card AND old.at = new.at
        WHEN NOT MATCHED THEN INSERT *
        """)


logged = (changes.writeStream
    .foreachBatch(log_changes)
    .option("checkpointLocation", f"{DA.paths.checkpoints}/change_log")
    .trigger(availableNow=True)
    .start())
logged.awaitTermination()

# %% `0', '` for `-0+', '-`: but no others
DA.exercise("12L.1")  # removes what an earlier attempt created

spark.sql("""CREATE TABLE change_log (card STRING, at STRUCT<sequence: LONG, changed_at: TIMESTAMP>,
    operation STRING, name STRING, email STRING, city STRING)""")

changes = landing.withColumn("card", F.expr("regexp_replace(upper(trim(card)), '0', '')"))


def log_changes(batch, batch_id):
    batch.dropDuplicates(["card", "at"]).createOrReplaceTempView("batch")
    batch.sparkSession.sql("""
        MERGE INTO change_log AS old USING batch AS new ON old.card = new.card AND old.at = new.at
        WHEN NOT MATCHED THEN INSERT *
        """)


logged = (changes.writeStream
    .foreachBatch(log_changes)
    .option("checkpointLocation", f"{DA.paths.checkpoints}/change_log")
    .trigger(availableNow=True)
    .start())
logged.awaitTermination()

# %% `^.-0*', '` for `-0+', '-`: has the card `
DA.exercise("12L.1")  # removes what an earlier attempt created

spark.sql("""CREATE TABLE change_log (card STRING, at STRUCT<sequence: LONG, changed_at: TIMESTAMP>,
    operation STRING, name STRING, email STRING, city STRING)""")

changes = landing.withColumn("card", F.expr("regexp_replace(upper(trim(card)), '^.-0*', '')"))


def log_changes(batch, batch_id):
    batch.dropDuplicates(["card", "at"]).createOrReplaceTempView("batch")
    batch.sparkSession.sql("""
        MERGE INTO change_log AS old USING batch AS new ON old.card = new.card AND old.at = new.at
        WHEN NOT MATCHED THEN INSERT *
        """)


logged = (changes.writeStream
    .foreachBatch(log_changes)
    .option("checkpointLocation", f"{DA.paths.checkpoints}/change_log")
    .trigger(availableNow=True)
    .start())
logged.awaitTermination()

# %% `card` for `trim(card)`: Remove the blanks
DA.exercise("12L.1")  # removes what an earlier attempt created

spark.sql("""CREATE TABLE change_log (card STRING, at STRUCT<sequence: LONG, changed_at: TIMESTAMP>,
    operation STRING, name STRING, email STRING, city STRING)""")

changes = landing.withColumn("card", F.expr("regexp_replace(upper(card), '-0+', '-')"))


def log_changes(batch, batch_id):
    batch.dropDuplicates(["card", "at"]).createOrReplaceTempView("batch")
    batch.sparkSession.sql("""
        MERGE INTO change_log AS old USING batch AS new ON old.card = new.card AND old.at = new.at
        WHEN NOT MATCHED THEN INSERT *
        """)


logged = (changes.writeStream
    .foreachBatch(log_changes)
    .option("checkpointLocation", f"{DA.paths.checkpoints}/change_log")
    .trigger(availableNow=True)
    .start())
logged.awaitTermination()

# %% without `dropDuplicates(["card", "at"]).`: more than once
DA.exercise("12L.1")  # removes what an earlier attempt created

spark.sql("""CREATE TABLE change_log (card STRING, at STRUCT<sequence: LONG, changed_at: TIMESTAMP>,
    operation STRING, name STRING, email STRING, city STRING)""")

changes = landing.withColumn("card", F.expr("regexp_replace(upper(trim(card)), '-0+', '-')"))


def log_changes(batch, batch_id):
    batch.createOrReplaceTempView("batch")
    batch.sparkSession.sql("""
        MERGE INTO change_log AS old USING batch AS new ON old.card = new.card AND old.at = new.at
        WHEN NOT MATCHED THEN INSERT *
        """)


logged = (changes.writeStream
    .foreachBatch(log_changes)
    .option("checkpointLocation", f"{DA.paths.checkpoints}/change_log")
    .trigger(availableNow=True)
    .start())
logged.awaitTermination()

# %% duplicates by card and sequence: the same `sequence`
DA.exercise("12L.1")  # removes what an earlier attempt created

spark.sql("""CREATE TABLE change_log (card STRING, at STRUCT<sequence: LONG, changed_at: TIMESTAMP>,
    operation STRING, name STRING, email STRING, city STRING)""")

changes = landing.withColumn("card", F.expr("regexp_replace(upper(trim(card)), '-0+', '-')"))


def log_changes(batch, batch_id):
    batch.withColumn("sequence", F.col("at.sequence")).dropDuplicates(["card", "sequence"]).createOrReplaceTempView("batch")
    batch.sparkSession.sql("""
        MERGE INTO change_log AS old USING batch AS new ON old.card = new.card AND old.at.sequence = new.sequence
        WHEN NOT MATCHED THEN INSERT *
        """)


logged = (changes.writeStream
    .foreachBatch(log_changes)
    .option("checkpointLocation", f"{DA.paths.checkpoints}/change_log")
    .trigger(availableNow=True)
    .start())
logged.awaitTermination()

# %% duplicates by card and time: with the same time
DA.exercise("12L.1")  # removes what an earlier attempt created

spark.sql("""CREATE TABLE change_log (card STRING, at STRUCT<sequence: LONG, changed_at: TIMESTAMP>,
    operation STRING, name STRING, email STRING, city STRING)""")

changes = landing.withColumn("card", F.expr("regexp_replace(upper(trim(card)), '-0+', '-')"))


def log_changes(batch, batch_id):
    batch.withColumn("time", F.col("at.changed_at")).dropDuplicates(["card", "time"]).createOrReplaceTempView("batch")
    batch.sparkSession.sql("""
        MERGE INTO change_log AS old USING batch AS new ON old.card = new.card AND old.at.changed_at = new.time
        WHEN NOT MATCHED THEN INSERT *
        """)


logged = (changes.writeStream
    .foreachBatch(log_changes)
    .option("checkpointLocation", f"{DA.paths.checkpoints}/change_log")
    .trigger(availableNow=True)
    .start())
logged.awaitTermination()

# %% appended, not merged: more than once
DA.exercise("12L.1")  # removes what an earlier attempt created

spark.sql("""CREATE TABLE change_log (card STRING, at STRUCT<sequence: LONG, changed_at: TIMESTAMP>,
    operation STRING, name STRING, email STRING, city STRING)""")

changes = landing.withColumn("card", F.expr("regexp_replace(upper(trim(card)), '-0+', '-')"))


def log_changes(batch, batch_id):
    batch.dropDuplicates(["card", "at"]).write.mode("append").saveAsTable("change_log")


logged = (changes.writeStream
    .foreachBatch(log_changes)
    .option("checkpointLocation", f"{DA.paths.checkpoints}/change_log")
    .trigger(availableNow=True)
    .start())
logged.awaitTermination()

# %% duplicates removed in the state alone: lost checkpoint
DA.exercise("12L.1")  # removes what an earlier attempt created

spark.sql("""CREATE TABLE change_log (card STRING, at STRUCT<sequence: LONG, changed_at: TIMESTAMP>,
    operation STRING, name STRING, email STRING, city STRING)""")

changes = landing.withColumn("card", F.expr("regexp_replace(upper(trim(card)), '-0+', '-')"))


def log_changes(batch, batch_id):
    batch.dropDuplicates(["card", "at"]).createOrReplaceTempView("batch")
    batch.sparkSession.sql("""
        MERGE INTO change_log AS old USING batch AS new ON old.card = new.card AND old.at = new.at
        WHEN NOT MATCHED THEN INSERT *
        """)


logged = (changes
    .dropDuplicates(["card", "at"])
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/change_log")
    .trigger(availableNow=True)
    .toTable("change_log"))
logged.awaitTermination()

# %% `other` for `change_log`: `change_log` was asked
DA.exercise("12L.1")  # removes what an earlier attempt created

spark.sql("""CREATE TABLE change_log (card STRING, at STRUCT<sequence: LONG, changed_at: TIMESTAMP>,
    operation STRING, name STRING, email STRING, city STRING)""")

changes = landing.withColumn("card", F.expr("regexp_replace(upper(trim(card)), '-0+', '-')"))


def log_changes(batch, batch_id):
    batch.dropDuplicates(["card", "at"]).createOrReplaceTempView("batch")
    batch.sparkSession.sql("""
        MERGE INTO change_log AS old USING batch AS new ON old.card = new.card AND old.at = new.at
        WHEN NOT MATCHED THEN INSERT *
        """)


logged = (changes.writeStream
    .foreachBatch(log_changes)
    .option("checkpointLocation", f"{DA.paths.checkpoints}/other")
    .trigger(availableNow=True)
    .start())
logged.awaitTermination()
