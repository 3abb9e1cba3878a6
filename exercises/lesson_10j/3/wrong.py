# %% `ordered` for `ordered_or_beat`: Order E is still in state
DA.exercise("10J.3")  # removes what an earlier attempt created

order_beats = spark.readStream.table("heartbeats").selectExpr("concat('no order ', beat_at) AS order_id", "beat_at")
ordered_or_beat = orders.union(order_beats).withWatermark("ordered_at", "10 minutes")

closing = (ordered
    .join(paid_or_beat, is_its_payment, "left")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/closing")
    .trigger(availableNow=True)
    .toTable("closing"))
closing.awaitTermination()

spark.sql("""
    CREATE OR REPLACE TEMP VIEW unpaid_vw AS
    SELECT order_id, ordered_at FROM closing WHERE order_id NOT LIKE 'no order %' AND paid_at IS NULL
    """)

# %% with `.where("order_id NOT LIKE 'no order %'")`: Order E is still in state
DA.exercise("10J.3")  # removes what an earlier attempt created

order_beats = spark.readStream.table("heartbeats").selectExpr("concat('no order ', beat_at) AS order_id", "beat_at")
ordered_or_beat = orders.union(order_beats).withWatermark("ordered_at", "10 minutes")

closing = (ordered_or_beat
    .join(paid_or_beat, is_its_payment, "left")
    .where("order_id NOT LIKE 'no order %'")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/closing")
    .trigger(availableNow=True)
    .toTable("closing"))
closing.awaitTermination()

spark.sql("""
    CREATE OR REPLACE TEMP VIEW unpaid_vw AS
    SELECT order_id, ordered_at FROM closing WHERE order_id NOT LIKE 'no order %' AND paid_at IS NULL
    """)

# %% without `order_id NOT LIKE 'no order %' AND`: A heartbeat is in `unpaid_vw`
DA.exercise("10J.3")  # removes what an earlier attempt created

order_beats = spark.readStream.table("heartbeats").selectExpr("concat('no order ', beat_at) AS order_id", "beat_at")
ordered_or_beat = orders.union(order_beats).withWatermark("ordered_at", "10 minutes")

closing = (ordered_or_beat
    .join(paid_or_beat, is_its_payment, "left")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/closing")
    .trigger(availableNow=True)
    .toTable("closing"))
closing.awaitTermination()

spark.sql("""
    CREATE OR REPLACE TEMP VIEW unpaid_vw AS
    SELECT order_id, ordered_at FROM closing WHERE paid_at IS NULL
    """)

# %% `'no order '` for `concat('no order ', beat_at)`: a constant as their id
DA.exercise("10J.3")  # removes what an earlier attempt created

order_beats = spark.readStream.table("heartbeats").selectExpr("'no order ' AS order_id", "beat_at")
ordered_or_beat = orders.union(order_beats).withWatermark("ordered_at", "10 minutes")

closing = (ordered_or_beat
    .join(paid_or_beat, is_its_payment, "left")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/closing")
    .trigger(availableNow=True)
    .toTable("closing"))
closing.awaitTermination()

spark.sql("""
    CREATE OR REPLACE TEMP VIEW unpaid_vw AS
    SELECT order_id, ordered_at FROM closing WHERE order_id NOT LIKE 'no order %' AND paid_at IS NULL
    """)

# %% without `AND paid_at IS NULL`: `unpaid_vw`
DA.exercise("10J.3")  # removes what an earlier attempt created

order_beats = spark.readStream.table("heartbeats").selectExpr("concat('no order ', beat_at) AS order_id", "beat_at")
ordered_or_beat = orders.union(order_beats).withWatermark("ordered_at", "10 minutes")

closing = (ordered_or_beat
    .join(paid_or_beat, is_its_payment, "left")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/closing")
    .trigger(availableNow=True)
    .toTable("closing"))
closing.awaitTermination()

spark.sql("""
    CREATE OR REPLACE TEMP VIEW unpaid_vw AS
    SELECT order_id, ordered_at FROM closing WHERE order_id NOT LIKE 'no order %'
    """)

# %% `inner` for `left`: `unpaid_vw`
DA.exercise("10J.3")  # removes what an earlier attempt created

order_beats = spark.readStream.table("heartbeats").selectExpr("concat('no order ', beat_at) AS order_id", "beat_at")
ordered_or_beat = orders.union(order_beats).withWatermark("ordered_at", "10 minutes")

closing = (ordered_or_beat
    .join(paid_or_beat, is_its_payment, "inner")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/closing")
    .trigger(availableNow=True)
    .toTable("closing"))
closing.awaitTermination()

spark.sql("""
    CREATE OR REPLACE TEMP VIEW unpaid_vw AS
    SELECT order_id, ordered_at FROM closing WHERE order_id NOT LIKE 'no order %' AND paid_at IS NULL
    """)

# %% `other` for `closing`: `closing` was asked for
DA.exercise("10J.3")  # removes what an earlier attempt created

order_beats = spark.readStream.table("heartbeats").selectExpr("concat('no order ', beat_at) AS order_id", "beat_at")
ordered_or_beat = orders.union(order_beats).withWatermark("ordered_at", "10 minutes")

closing = (ordered_or_beat
    .join(paid_or_beat, is_its_payment, "left")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/other")
    .trigger(availableNow=True)
    .toTable("closing"))
closing.awaitTermination()

spark.sql("""
    CREATE OR REPLACE TEMP VIEW unpaid_vw AS
    SELECT order_id, ordered_at FROM closing WHERE order_id NOT LIKE 'no order %' AND paid_at IS NULL
    """)
