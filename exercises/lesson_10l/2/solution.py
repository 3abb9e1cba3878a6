DA.exercise("10L.2")  # removes what an earlier attempt created

at_home = payments.where("country = home").selectExpr(
    "card_id", "transaction_id AS home_payment", "event_time AS home_time")
abroad = payments.where("country != home").selectExpr(
    "card_id AS card", "transaction_id AS foreign_payment", "amount",
    "event_time AS foreign_time")

alarms = (at_home
    .join(abroad, F.expr("""
        card = card_id
        AND foreign_time BETWEEN home_time - INTERVAL 10 MINUTES
            AND home_time + INTERVAL 10 MINUTES
    """))
    .select("card_id", "home_payment", "foreign_payment", "amount")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/alarms")
    .toTable("alarms"))
