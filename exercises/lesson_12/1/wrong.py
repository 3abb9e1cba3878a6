# %% with `WHEN MATCHED AND change.gone AND ...`, with `AND NOT change.gone`: that arrived later has won
DA.exercise("12.1")  # removes what an earlier attempt created

snapshot.drop("updated_at").write.mode("ignore").saveAsTable("members")

if "gone" not in spark.table("members").columns:
    spark.sql("ALTER TABLE members ADD COLUMN gone BOOLEAN")


def apply_changes(batch, batch_id):
    (batch
        .groupBy("customer_id")
        .agg(F.max_by(F.struct(*batch.columns), "sequence").alias("newest"))
        .select("newest.*")
        .withColumn("gone", F.expr("operation = 'DELETE'"))
        .createOrReplaceTempView("changes"))
    batch.sparkSession.sql("""
        MERGE INTO members AS member USING changes AS change ON member.customer_id = change.customer_id
        WHEN MATCHED AND change.gone AND change.sequence > member.sequence THEN DELETE
        WHEN MATCHED AND change.sequence > member.sequence THEN UPDATE SET *
        WHEN NOT MATCHED AND NOT change.gone THEN INSERT *""")


joining = (landing.writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/members")
    .foreachBatch(apply_changes)
    .trigger(availableNow=True)
    .start())
joining.awaitTermination()

spark.sql("""
    CREATE OR REPLACE TEMP VIEW members_now AS
    SELECT * EXCEPT (gone) FROM members WHERE gone IS NOT TRUE""")

# %% `changed_at` for `sequence`: contradict the sequence
DA.exercise("12.1")  # removes what an earlier attempt created

snapshot.drop("updated_at").write.mode("ignore").saveAsTable("members")

if "gone" not in spark.table("members").columns:
    spark.sql("ALTER TABLE members ADD COLUMN gone BOOLEAN")


def apply_changes(batch, batch_id):
    (batch
        .groupBy("customer_id")
        .agg(F.max_by(F.struct(*batch.columns), "changed_at").alias("newest"))
        .select("newest.*")
        .withColumn("gone", F.expr("operation = 'DELETE'"))
        .createOrReplaceTempView("changes"))
    batch.sparkSession.sql("""
        MERGE INTO members AS member USING changes AS change ON member.customer_id = change.customer_id
        WHEN MATCHED AND change.sequence > member.sequence THEN UPDATE SET *
        WHEN NOT MATCHED THEN INSERT *""")


joining = (landing.writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/members")
    .foreachBatch(apply_changes)
    .trigger(availableNow=True)
    .start())
joining.awaitTermination()

spark.sql("""
    CREATE OR REPLACE TEMP VIEW members_now AS
    SELECT * EXCEPT (gone) FROM members WHERE gone IS NOT TRUE""")

# %% without `WHERE gone IS NOT TRUE`: Filter them out in the view
DA.exercise("12.1")  # removes what an earlier attempt created

snapshot.drop("updated_at").write.mode("ignore").saveAsTable("members")

if "gone" not in spark.table("members").columns:
    spark.sql("ALTER TABLE members ADD COLUMN gone BOOLEAN")


def apply_changes(batch, batch_id):
    (batch
        .groupBy("customer_id")
        .agg(F.max_by(F.struct(*batch.columns), "sequence").alias("newest"))
        .select("newest.*")
        .withColumn("gone", F.expr("operation = 'DELETE'"))
        .createOrReplaceTempView("changes"))
    batch.sparkSession.sql("""
        MERGE INTO members AS member USING changes AS change ON member.customer_id = change.customer_id
        WHEN MATCHED AND change.sequence > member.sequence THEN UPDATE SET *
        WHEN NOT MATCHED THEN INSERT *""")


joining = (landing.writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/members")
    .foreachBatch(apply_changes)
    .trigger(availableNow=True)
    .start())
joining.awaitTermination()

spark.sql("""
    CREATE OR REPLACE TEMP VIEW members_now AS
    SELECT * EXCEPT (gone) FROM members""")

# %% without `AND change.sequence > member.sequence`: later has won
DA.exercise("12.1")  # removes what an earlier attempt created

snapshot.drop("updated_at").write.mode("ignore").saveAsTable("members")

if "gone" not in spark.table("members").columns:
    spark.sql("ALTER TABLE members ADD COLUMN gone BOOLEAN")


def apply_changes(batch, batch_id):
    (batch
        .groupBy("customer_id")
        .agg(F.max_by(F.struct(*batch.columns), "sequence").alias("newest"))
        .select("newest.*")
        .withColumn("gone", F.expr("operation = 'DELETE'"))
        .createOrReplaceTempView("changes"))
    batch.sparkSession.sql("""
        MERGE INTO members AS member USING changes AS change ON member.customer_id = change.customer_id
        WHEN MATCHED THEN UPDATE SET *
        WHEN NOT MATCHED THEN INSERT *""")


joining = (landing.writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/members")
    .foreachBatch(apply_changes)
    .trigger(availableNow=True)
    .start())
joining.awaitTermination()

spark.sql("""
    CREATE OR REPLACE TEMP VIEW members_now AS
    SELECT * EXCEPT (gone) FROM members WHERE gone IS NOT TRUE""")

# %% without `.groupBy("customer_id")` to `.select("newest.*")`: MULTIPLE_SOURCE_ROW
DA.exercise("12.1")  # removes what an earlier attempt created

snapshot.drop("updated_at").write.mode("ignore").saveAsTable("members")

if "gone" not in spark.table("members").columns:
    spark.sql("ALTER TABLE members ADD COLUMN gone BOOLEAN")


def apply_changes(batch, batch_id):
    (batch
        .withColumn("gone", F.expr("operation = 'DELETE'"))
        .createOrReplaceTempView("changes"))
    batch.sparkSession.sql("""
        MERGE INTO members AS member USING changes AS change ON member.customer_id = change.customer_id
        WHEN MATCHED AND change.sequence > member.sequence THEN UPDATE SET *
        WHEN NOT MATCHED THEN INSERT *""")


joining = (landing.writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/members")
    .foreachBatch(apply_changes)
    .trigger(availableNow=True)
    .start())
joining.awaitTermination()

spark.sql("""
    CREATE OR REPLACE TEMP VIEW members_now AS
    SELECT * EXCEPT (gone) FROM members WHERE gone IS NOT TRUE""")

# %% with `AND NOT change.gone`: other changes
DA.exercise("12.1")  # removes what an earlier attempt created

snapshot.drop("updated_at").write.mode("ignore").saveAsTable("members")

if "gone" not in spark.table("members").columns:
    spark.sql("ALTER TABLE members ADD COLUMN gone BOOLEAN")


def apply_changes(batch, batch_id):
    (batch
        .groupBy("customer_id")
        .agg(F.max_by(F.struct(*batch.columns), "sequence").alias("newest"))
        .select("newest.*")
        .withColumn("gone", F.expr("operation = 'DELETE'"))
        .createOrReplaceTempView("changes"))
    batch.sparkSession.sql("""
        MERGE INTO members AS member USING changes AS change ON member.customer_id = change.customer_id
        WHEN MATCHED AND change.sequence > member.sequence THEN UPDATE SET *
        WHEN NOT MATCHED AND NOT change.gone THEN INSERT *""")


joining = (landing.writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/members")
    .foreachBatch(apply_changes)
    .trigger(availableNow=True)
    .start())
joining.awaitTermination()

spark.sql("""
    CREATE OR REPLACE TEMP VIEW members_now AS
    SELECT * EXCEPT (gone) FROM members WHERE gone IS NOT TRUE""")

# %% `other` for `members`: `members` was asked for
DA.exercise("12.1")  # removes what an earlier attempt created

snapshot.drop("updated_at").write.mode("ignore").saveAsTable("members")

if "gone" not in spark.table("members").columns:
    spark.sql("ALTER TABLE members ADD COLUMN gone BOOLEAN")


def apply_changes(batch, batch_id):
    (batch
        .groupBy("customer_id")
        .agg(F.max_by(F.struct(*batch.columns), "sequence").alias("newest"))
        .select("newest.*")
        .withColumn("gone", F.expr("operation = 'DELETE'"))
        .createOrReplaceTempView("changes"))
    batch.sparkSession.sql("""
        MERGE INTO members AS member USING changes AS change ON member.customer_id = change.customer_id
        WHEN MATCHED AND change.sequence > member.sequence THEN UPDATE SET *
        WHEN NOT MATCHED THEN INSERT *""")


joining = (landing.writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/other")
    .foreachBatch(apply_changes)
    .trigger(availableNow=True)
    .start())
joining.awaitTermination()

spark.sql("""
    CREATE OR REPLACE TEMP VIEW members_now AS
    SELECT * EXCEPT (gone) FROM members WHERE gone IS NOT TRUE""")
