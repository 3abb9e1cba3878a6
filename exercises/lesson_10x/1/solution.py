DA.exercise("10X.1")  # removes what an earlier attempt created

straying = (orders.withWatermark("ordered_at", "10 minutes")
    .join(payments.withWatermark("paid_at", "10 minutes"), F.expr(in_time), "right")
    .where("order_id IS NULL")
    .select("paid_order", "paid_at")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/strays")
    .trigger(availableNow=True)
    .toTable("strays"))
