# %% the unmatched orders instead of the payments: Which side
DA.exercise("10X.1")  # removes what an earlier attempt created

straying = (orders.withWatermark("ordered_at", "10 minutes")
    .join(payments.withWatermark("paid_at", "10 minutes"), F.expr(in_time), "left")
    .where("paid_order IS NULL")
    .select("paid_order", "paid_at")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/strays")
    .trigger(availableNow=True)
    .toTable("strays"))

# %% the explained payments are kept: that an order explains
DA.exercise("10X.1")  # removes what an earlier attempt created

straying = (orders.withWatermark("ordered_at", "10 minutes")
    .join(payments.withWatermark("paid_at", "10 minutes"), F.expr(in_time), "right")
    .select("paid_order", "paid_at")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/strays")
    .trigger(availableNow=True)
    .toTable("strays"))

# %% joined by the id alone, so that a payment that is too late has its order: of another time
DA.exercise("10X.1")  # removes what an earlier attempt created

straying = (payments.join(spark.read.table("orders"), F.expr("paid_order = order_id"), "left")
    .where("order_id IS NULL")
    .select("paid_order", "paid_at")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/strays")
    .trigger(availableNow=True)
    .toTable("strays"))

# %% without watermarks: raised an error
DA.exercise("10X.1")  # removes what an earlier attempt created

straying = (orders.join(payments, F.expr(in_time), "right")
    .where("order_id IS NULL")
    .select("paid_order", "paid_at")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/strays")
    .trigger(availableNow=True)
    .toTable("strays"))

# %% a table of orders: an order that arrives after its payment comes too late: arrived
DA.exercise("10X.1")  # removes what an earlier attempt created

straying = (payments.join(spark.read.table("orders"), F.expr(in_time), "left")
    .where("order_id IS NULL")
    .select("paid_order", "paid_at")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/strays")
    .trigger(availableNow=True)
    .toTable("strays"))
