DA.exercise("10L.3")  # removes what an earlier attempt created

large = (payments.where("amount > 900")
    .select("card_id", "transaction_id", "amount", "event_time"))
small = payments.where("amount < 2").selectExpr(
    "card_id AS card", "transaction_id AS small_payment", "event_time AS small_time")

testing = (large
    .join(small, F.expr("""
        card = card_id
        AND small_time BETWEEN event_time - INTERVAL 5 MINUTES AND event_time
    """), "left")
    .select("card_id", "transaction_id", "amount", "small_payment")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/large_payments")
    .toTable("large_payments"))
