# %% without `.dropDuplicatesWithinWatermark(["id"])`: duplicates are still there
DA.exercise("14L.2")  # removes what an earlier attempt created

(spark.table("undos_vw")
    .withWatermark("dt", "45 minutes")
    .createOrReplaceTempView("once_vw"))

# %% without a watermark: keeps every id in state forever
DA.exercise("14L.2")  # removes what an earlier attempt created

(spark.table("undos_vw")
    .dropDuplicates(["id"])
    .createOrReplaceTempView("once_vw"))

# %% `dropDuplicates` for `dropDuplicatesWithinWatermark`: keeps every id in state forever
DA.exercise("14L.2")  # removes what an earlier attempt created

(spark.table("undos_vw")
    .withWatermark("dt", "45 minutes")
    .dropDuplicates(["id"])
    .createOrReplaceTempView("once_vw"))

# %% `, "10 minutes"` for `, "45 minutes"`: behind the watermark are dropped
DA.exercise("14L.2")  # removes what an earlier attempt created

(spark.table("undos_vw")
    .withWatermark("dt", "10 minutes")
    .dropDuplicatesWithinWatermark(["id"])
    .createOrReplaceTempView("once_vw"))

# %% `.withWatermark("dt", "7 days")`: each id is kept in state
DA.exercise("14L.2")  # removes what an earlier attempt created

(spark.table("undos_vw")
    .withWatermark("dt", "7 days")
    .dropDuplicatesWithinWatermark(["id"])
    .createOrReplaceTempView("once_vw"))

# %% `title` for `id`: that are not duplicates
DA.exercise("14L.2")  # removes what an earlier attempt created

(spark.table("undos_vw")
    .withWatermark("dt", "45 minutes")
    .dropDuplicatesWithinWatermark(["title"])
    .createOrReplaceTempView("once_vw"))

# %% without `.withWatermark("dt", "45 minutes")`: cannot be run
DA.exercise("14L.2")  # removes what an earlier attempt created

(spark.table("undos_vw")
    .dropDuplicatesWithinWatermark(["id"])
    .createOrReplaceTempView("once_vw"))
