# %% without `, "left"`: a left outer join
DA.exercise("10L.3")  # removes what an earlier attempt created

large = payments.where("amount > 900").select("card_id", "transaction_id", "amount", "event_time")
small = payments.where("amount < 2").selectExpr(
    "card_id AS card", "transaction_id AS small_payment", "event_time AS small_time")

testing = (large
    .join(small, F.expr("""
        card = card_id
        AND small_time BETWEEN event_time - INTERVAL 5 MINUTES AND event_time
    """))
    .select("card_id", "transaction_id", "amount", "small_payment")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/large_payments")
    .toTable("large_payments"))

# %% `- INTERVAL 2 MINUTES AND` for `- INTERVAL 5 MINUTES AND`: large_payments
DA.exercise("10L.3")  # removes what an earlier attempt created

large = payments.where("amount > 900").select("card_id", "transaction_id", "amount", "event_time")
small = payments.where("amount < 2").selectExpr(
    "card_id AS card", "transaction_id AS small_payment", "event_time AS small_time")

testing = (large
    .join(small, F.expr("""
        card = card_id
        AND small_time BETWEEN event_time - INTERVAL 2 MINUTES AND event_time
    """), "left")
    .select("card_id", "transaction_id", "amount", "small_payment")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/large_payments")
    .toTable("large_payments"))

# %% `amount <= 2"` for `amount < 2"`: exactly 900 and 2
DA.exercise("10L.3")  # removes what an earlier attempt created

large = payments.where("amount > 900").select("card_id", "transaction_id", "amount", "event_time")
small = payments.where("amount <= 2").selectExpr(
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

# %% `amount >= 900"` for `amount > 900"`: exactly 900 and 2
DA.exercise("10L.3")  # removes what an earlier attempt created

large = payments.where("amount >= 900").select("card_id", "transaction_id", "amount", "event_time")
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

# %% with `.trigger(availableNow=True)`: must keep running
DA.exercise("10L.3")  # removes what an earlier attempt created

large = payments.where("amount > 900").select("card_id", "transaction_id", "amount", "event_time")
small = payments.where("amount < 2").selectExpr(
    "card_id AS card", "transaction_id AS small_payment", "event_time AS small_time")

testing = (large
    .join(small, F.expr("""
        card = card_id
        AND small_time BETWEEN event_time - INTERVAL 5 MINUTES AND event_time
    """), "left")
    .select("card_id", "transaction_id", "amount", "small_payment")
    .writeStream
    .trigger(availableNow=True)
    .option("checkpointLocation", f"{DA.paths.checkpoints}/large_payments")
    .toTable("large_payments"))
