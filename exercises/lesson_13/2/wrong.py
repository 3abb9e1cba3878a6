# %% `1-$2T` for `2-$1T`: orders_copy
DA.exercise("13.2")  # removes what an earlier attempt created

spark.sql("CREATE TABLE IF NOT EXISTS orders_copy AS SELECT * FROM silver_orders")
spark.sql("CREATE TABLE IF NOT EXISTS quarantine_copy AS SELECT * FROM quarantine")

day_first = r"(\d\d)/(\d\d)/(\d{4}) (\d\d:\d\d)"
bad_times = spark.table("quarantine_copy").where("reason = 'bad time'").select("value", "file_name")
understood = checked(bad_times.withColumn("value", F.regexp_replace("value", day_first, "$3-$1-$2T$4:00Z")))
(understood
    .where("reason IS NULL")
    .dropDuplicates(["order_id"])
    .withColumn("revenue", F.expr(REVENUE))
    .localCheckpoint()
    .createOrReplaceTempView("understood_vw"))

spark.sql("""
    MERGE INTO orders_copy AS there USING understood_vw AS new ON there.order_id = new.order_id
    WHEN NOT MATCHED THEN INSERT (order_id, customer_id, country, ordered_at, channel, revenue)
        VALUES (order_id, customer_id, country, ordered_at, channel, revenue)""")
spark.sql("""
    MERGE INTO quarantine_copy AS line USING understood_vw AS new
    ON line.reason = 'bad time' AND CAST(get_json_object(line.value, '$.order_id') AS BIGINT) = new.order_id
    WHEN MATCHED THEN DELETE
""")

# %% without `spark.sql("""` to `""")`: still in `quarantine_copy`
DA.exercise("13.2")  # removes what an earlier attempt created

spark.sql("CREATE TABLE IF NOT EXISTS orders_copy AS SELECT * FROM silver_orders")
spark.sql("CREATE TABLE IF NOT EXISTS quarantine_copy AS SELECT * FROM quarantine")

day_first = r"(\d\d)/(\d\d)/(\d{4}) (\d\d:\d\d)"
bad_times = spark.table("quarantine_copy").where("reason = 'bad time'").select("value", "file_name")
understood = checked(bad_times.withColumn("value", F.regexp_replace("value", day_first, "$3-$2-$1T$4:00Z")))
(understood
    .where("reason IS NULL")
    .dropDuplicates(["order_id"])
    .withColumn("revenue", F.expr(REVENUE))
    .localCheckpoint()
    .createOrReplaceTempView("understood_vw"))

spark.sql("""
    MERGE INTO orders_copy AS there USING understood_vw AS new ON there.order_id = new.order_id
    WHEN NOT MATCHED THEN INSERT (order_id, customer_id, country, ordered_at, channel, revenue)
        VALUES (order_id, customer_id, country, ordered_at, channel, revenue)""")

# %% without `MERGE INTO orders_copy AS there USING ...` to `spark.sql("""`: they are lost
DA.exercise("13.2")  # removes what an earlier attempt created

spark.sql("CREATE TABLE IF NOT EXISTS orders_copy AS SELECT * FROM silver_orders")
spark.sql("CREATE TABLE IF NOT EXISTS quarantine_copy AS SELECT * FROM quarantine")

day_first = r"(\d\d)/(\d\d)/(\d{4}) (\d\d:\d\d)"
bad_times = spark.table("quarantine_copy").where("reason = 'bad time'").select("value", "file_name")
understood = checked(bad_times.withColumn("value", F.regexp_replace("value", day_first, "$3-$2-$1T$4:00Z")))
(understood
    .where("reason IS NULL")
    .dropDuplicates(["order_id"])
    .withColumn("revenue", F.expr(REVENUE))
    .localCheckpoint()
    .createOrReplaceTempView("understood_vw"))

spark.sql("""
    MERGE INTO quarantine_copy AS line USING understood_vw AS new
    ON line.reason = 'bad time' AND CAST(get_json_object(line.value, '$.order_id') AS BIGINT) = new.order_id
    WHEN MATCHED THEN DELETE
""")

# %% deletes all lines with a bad time: another quarantine
DA.exercise("13.2")  # removes what an earlier attempt created

spark.sql("CREATE TABLE IF NOT EXISTS orders_copy AS SELECT * FROM silver_orders")
spark.sql("CREATE TABLE IF NOT EXISTS quarantine_copy AS SELECT * FROM quarantine")

day_first = r"(\d\d)/(\d\d)/(\d{4}) (\d\d:\d\d)"
bad_times = spark.table("quarantine_copy").where("reason = 'bad time'").select("value", "file_name")
understood = checked(bad_times.withColumn("value", F.regexp_replace("value", day_first, "$3-$2-$1T$4:00Z")))
(understood
    .where("reason IS NULL")
    .dropDuplicates(["order_id"])
    .withColumn("revenue", F.expr(REVENUE))
    .localCheckpoint()
    .createOrReplaceTempView("understood_vw"))

spark.sql("""
    MERGE INTO orders_copy AS there USING understood_vw AS new ON there.order_id = new.order_id
    WHEN NOT MATCHED THEN INSERT (order_id, customer_id, country, ordered_at, channel, revenue)
        VALUES (order_id, customer_id, country, ordered_at, channel, revenue)""")
spark.sql("DELETE FROM quarantine_copy WHERE reason = 'bad time'")

# %% deletes all lines with the day first: lines with a second fault
DA.exercise("13.2")  # removes what an earlier attempt created

spark.sql("CREATE TABLE IF NOT EXISTS orders_copy AS SELECT * FROM silver_orders")
spark.sql("CREATE TABLE IF NOT EXISTS quarantine_copy AS SELECT * FROM quarantine")

day_first = r"(\d\d)/(\d\d)/(\d{4}) (\d\d:\d\d)"
bad_times = spark.table("quarantine_copy").where("reason = 'bad time'").select("value", "file_name")
understood = checked(bad_times.withColumn("value", F.regexp_replace("value", day_first, "$3-$2-$1T$4:00Z")))
(understood
    .where("reason IS NULL")
    .dropDuplicates(["order_id"])
    .withColumn("revenue", F.expr(REVENUE))
    .localCheckpoint()
    .createOrReplaceTempView("understood_vw"))

spark.sql("""
    MERGE INTO orders_copy AS there USING understood_vw AS new ON there.order_id = new.order_id
    WHEN NOT MATCHED THEN INSERT (order_id, customer_id, country, ordered_at, channel, revenue)
        VALUES (order_id, customer_id, country, ordered_at, channel, revenue)""")
spark.table("quarantine_copy").where(F.col("value").rlike(day_first)).select("value").distinct().createOrReplaceTempView("day_first_vw")
spark.sql("""
    MERGE INTO quarantine_copy AS line USING day_first_vw AS new
    ON line.value = new.value
    WHEN MATCHED THEN DELETE
""")

# %% `ordered_at IS NOT` for `reason IS`: with a second fault
DA.exercise("13.2")  # removes what an earlier attempt created

spark.sql("CREATE TABLE IF NOT EXISTS orders_copy AS SELECT * FROM silver_orders")
spark.sql("CREATE TABLE IF NOT EXISTS quarantine_copy AS SELECT * FROM quarantine")

day_first = r"(\d\d)/(\d\d)/(\d{4}) (\d\d:\d\d)"
bad_times = spark.table("quarantine_copy").where("reason = 'bad time'").select("value", "file_name")
understood = checked(bad_times.withColumn("value", F.regexp_replace("value", day_first, "$3-$2-$1T$4:00Z")))
(understood
    .where("ordered_at IS NOT NULL")
    .dropDuplicates(["order_id"])
    .withColumn("revenue", F.expr(REVENUE))
    .localCheckpoint()
    .createOrReplaceTempView("understood_vw"))

spark.sql("""
    MERGE INTO orders_copy AS there USING understood_vw AS new ON there.order_id = new.order_id
    WHEN NOT MATCHED THEN INSERT (order_id, customer_id, country, ordered_at, channel, revenue)
        VALUES (order_id, customer_id, country, ordered_at, channel, revenue)""")
spark.sql("""
    MERGE INTO quarantine_copy AS line USING understood_vw AS new
    ON line.reason = 'bad time' AND CAST(get_json_object(line.value, '$.order_id') AS BIGINT) = new.order_id
    WHEN MATCHED THEN DELETE
""")

# %% deletes before it inserts: a crash between the two writes
DA.exercise("13.2")  # removes what an earlier attempt created

spark.sql("CREATE TABLE IF NOT EXISTS orders_copy AS SELECT * FROM silver_orders")
spark.sql("CREATE TABLE IF NOT EXISTS quarantine_copy AS SELECT * FROM quarantine")

day_first = r"(\d\d)/(\d\d)/(\d{4}) (\d\d:\d\d)"
bad_times = spark.table("quarantine_copy").where("reason = 'bad time'").select("value", "file_name")
understood = checked(bad_times.withColumn("value", F.regexp_replace("value", day_first, "$3-$2-$1T$4:00Z")))
(understood
    .where("reason IS NULL")
    .dropDuplicates(["order_id"])
    .withColumn("revenue", F.expr(REVENUE))
    .localCheckpoint()
    .createOrReplaceTempView("understood_vw"))

spark.sql("""
    MERGE INTO quarantine_copy AS line USING understood_vw AS new
    ON line.reason = 'bad time' AND CAST(get_json_object(line.value, '$.order_id') AS BIGINT) = new.order_id
    WHEN MATCHED THEN DELETE
""")
spark.sql("""
    MERGE INTO orders_copy AS there USING understood_vw AS new ON there.order_id = new.order_id
    WHEN NOT MATCHED THEN INSERT (order_id, customer_id, country, ordered_at, channel, revenue)
        VALUES (order_id, customer_id, country, ordered_at, channel, revenue)""")
