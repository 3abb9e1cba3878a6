# %% an aggregation in complete mode: has a state
DA.exercise("14X.2")  # removes what an earlier attempt created

kept = (spark.table("colors_now_vw")
    .where("color IS NOT NULL")
    .writeStream
    .outputMode("complete")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/kept")
    .trigger(availableNow=True)
    .toTable("kept_colors"))

# %% without `WHEN MATCHED AND new.color IS NULL THEN DELETE`: `kept_colors`
DA.exercise("14X.2")  # removes what an earlier attempt created
spark.sql("CREATE TABLE kept_colors (user STRING, color STRING)")


def apply_colors(batch, batch_id):
    (batch
        .groupBy("key")
        .agg(F.max_by("value", "offset").alias("value"))
        .selectExpr("CAST(key AS STRING) AS user", "CAST(value AS STRING) AS color")
        .createOrReplaceTempView("newest"))
    batch.sparkSession.sql("""
        MERGE INTO kept_colors AS old USING newest AS new ON old.user = new.user
        WHEN MATCHED THEN UPDATE SET *
        WHEN NOT MATCHED AND new.color IS NOT NULL THEN INSERT *""")


kept = (spark.table("colors_vw")
    .writeStream
    .foreachBatch(apply_colors)
    .option("checkpointLocation", f"{DA.paths.checkpoints}/kept")
    .trigger(availableNow=True)
    .start())

# %% without `AND new.color IS NOT NULL`: A user without
DA.exercise("14X.2")  # removes what an earlier attempt created
spark.sql("CREATE TABLE kept_colors (user STRING, color STRING)")


def apply_colors(batch, batch_id):
    (batch
        .groupBy("key")
        .agg(F.max_by("value", "offset").alias("value"))
        .selectExpr("CAST(key AS STRING) AS user", "CAST(value AS STRING) AS color")
        .createOrReplaceTempView("newest"))
    batch.sparkSession.sql("""
        MERGE INTO kept_colors AS old USING newest AS new ON old.user = new.user
        WHEN MATCHED AND new.color IS NULL THEN DELETE
        WHEN MATCHED THEN UPDATE SET *
        WHEN NOT MATCHED THEN INSERT *""")


kept = (spark.table("colors_vw")
    .writeStream
    .foreachBatch(apply_colors)
    .option("checkpointLocation", f"{DA.paths.checkpoints}/kept")
    .trigger(availableNow=True)
    .start())

# %% `.agg(F.max("value").alias("value"))`: kept_colors
DA.exercise("14X.2")  # removes what an earlier attempt created
spark.sql("CREATE TABLE kept_colors (user STRING, color STRING)")


def apply_colors(batch, batch_id):
    (batch
        .groupBy("key")
        .agg(F.max("value").alias("value"))
        .selectExpr("CAST(key AS STRING) AS user", "CAST(value AS STRING) AS color")
        .createOrReplaceTempView("newest"))
    batch.sparkSession.sql("""
        MERGE INTO kept_colors AS old USING newest AS new ON old.user = new.user
        WHEN MATCHED AND new.color IS NULL THEN DELETE
        WHEN MATCHED THEN UPDATE SET *
        WHEN NOT MATCHED AND new.color IS NOT NULL THEN INSERT *""")


kept = (spark.table("colors_vw")
    .writeStream
    .foreachBatch(apply_colors)
    .option("checkpointLocation", f"{DA.paths.checkpoints}/kept")
    .trigger(availableNow=True)
    .start())

# %% `timestamp` for `offset`: contradict the offsets
DA.exercise("14X.2")  # removes what an earlier attempt created
spark.sql("CREATE TABLE kept_colors (user STRING, color STRING)")


def apply_colors(batch, batch_id):
    (batch
        .groupBy("key")
        .agg(F.max_by("value", "timestamp").alias("value"))
        .selectExpr("CAST(key AS STRING) AS user", "CAST(value AS STRING) AS color")
        .createOrReplaceTempView("newest"))
    batch.sparkSession.sql("""
        MERGE INTO kept_colors AS old USING newest AS new ON old.user = new.user
        WHEN MATCHED AND new.color IS NULL THEN DELETE
        WHEN MATCHED THEN UPDATE SET *
        WHEN NOT MATCHED AND new.color IS NOT NULL THEN INSERT *""")


kept = (spark.table("colors_vw")
    .writeStream
    .foreachBatch(apply_colors)
    .option("checkpointLocation", f"{DA.paths.checkpoints}/kept")
    .trigger(availableNow=True)
    .start())

# %% without `.trigger(availableNow=True)`: still running
DA.exercise("14X.2")  # removes what an earlier attempt created
spark.sql("CREATE TABLE kept_colors (user STRING, color STRING)")


def apply_colors(batch, batch_id):
    (batch
        .groupBy("key")
        .agg(F.max_by("value", "offset").alias("value"))
        .selectExpr("CAST(key AS STRING) AS user", "CAST(value AS STRING) AS color")
        .createOrReplaceTempView("newest"))
    batch.sparkSession.sql("""
        MERGE INTO kept_colors AS old USING newest AS new ON old.user = new.user
        WHEN MATCHED AND new.color IS NULL THEN DELETE
        WHEN MATCHED THEN UPDATE SET *
        WHEN NOT MATCHED AND new.color IS NOT NULL THEN INSERT *""")


kept = (spark.table("colors_vw")
    .writeStream
    .foreachBatch(apply_colors)
    .option("checkpointLocation", f"{DA.paths.checkpoints}/kept")
    .start())

# %% `colors` for `kept`: belongs to another query
DA.exercise("14X.2")  # removes what an earlier attempt created
spark.sql("CREATE TABLE kept_colors (user STRING, color STRING)")


def apply_colors(batch, batch_id):
    (batch
        .groupBy("key")
        .agg(F.max_by("value", "offset").alias("value"))
        .selectExpr("CAST(key AS STRING) AS user", "CAST(value AS STRING) AS color")
        .createOrReplaceTempView("newest"))
    batch.sparkSession.sql("""
        MERGE INTO kept_colors AS old USING newest AS new ON old.user = new.user
        WHEN MATCHED AND new.color IS NULL THEN DELETE
        WHEN MATCHED THEN UPDATE SET *
        WHEN NOT MATCHED AND new.color IS NOT NULL THEN INSERT *""")


kept = (spark.table("colors_vw")
    .writeStream
    .foreachBatch(apply_colors)
    .option("checkpointLocation", f"{DA.paths.checkpoints}/colors")
    .trigger(availableNow=True)
    .start())
