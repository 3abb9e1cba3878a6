# %% a left join that begins with the payments
DA.exercise("10X.1")  # removes what an earlier attempt created

paid = payments.withWatermark("paid_at", "10 minutes")
placed = orders.withWatermark("ordered_at", "10 minutes")
straying = (paid.join(placed, F.expr(in_time), "left_outer")
    .where(F.col("ordered_at").isNull())
    .select("paid_order", "paid_at")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/strays")
    .trigger(availableNow=True)
    .toTable("strays"))
