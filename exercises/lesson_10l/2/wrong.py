# %% without `- INTERVAL 10 MINUTES`: in both orders
DA.exercise("10L.2")  # removes what an earlier attempt created

at_home = payments.where("country = home").selectExpr(
    "card_id", "transaction_id AS home_payment", "event_time AS home_time")
abroad = payments.where("country != home").selectExpr(
    "card_id AS card", "transaction_id AS foreign_payment", "amount", "event_time AS foreign_time")

alarms = (at_home
    .join(abroad, F.expr("""
        card = card_id
        AND foreign_time BETWEEN home_time AND home_time + INTERVAL 10 MINUTES
    """))
    .select("card_id", "home_payment", "foreign_payment", "amount")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/alarms")
    .toTable("alarms"))

# %% without `AND foreign_time BETWEEN home_time - ...`: Travelers are among them
DA.exercise("10L.2")  # removes what an earlier attempt created

at_home = payments.where("country = home").selectExpr(
    "card_id", "transaction_id AS home_payment", "event_time AS home_time")
abroad = payments.where("country != home").selectExpr(
    "card_id AS card", "transaction_id AS foreign_payment", "amount", "event_time AS foreign_time")

alarms = (at_home
    .join(abroad, F.expr("""
        card = card_id

    """))
    .select("card_id", "home_payment", "foreign_payment", "amount")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/alarms")
    .toTable("alarms"))

# %% without `where("country != home").`: `alarms`
DA.exercise("10L.2")  # removes what an earlier attempt created

at_home = payments.where("country = home").selectExpr(
    "card_id", "transaction_id AS home_payment", "event_time AS home_time")
abroad = payments.selectExpr(
    "card_id AS card", "transaction_id AS foreign_payment", "amount", "event_time AS foreign_time")

alarms = (at_home
    .join(abroad, F.expr("""
        card = card_id
        AND foreign_time BETWEEN home_time - INTERVAL 10 MINUTES AND home_time + INTERVAL 10 MINUTES
    """))
    .select("card_id", "home_payment", "foreign_payment", "amount")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/alarms")
    .toTable("alarms"))

# %% `9 MINUTES AND home_time + INTERVAL 9` for `10 MINUTES AND home_time + INTERVAL 10`: in both orders
DA.exercise("10L.2")  # removes what an earlier attempt created

at_home = payments.where("country = home").selectExpr(
    "card_id", "transaction_id AS home_payment", "event_time AS home_time")
abroad = payments.where("country != home").selectExpr(
    "card_id AS card", "transaction_id AS foreign_payment", "amount", "event_time AS foreign_time")

alarms = (at_home
    .join(abroad, F.expr("""
        card = card_id
        AND foreign_time BETWEEN home_time - INTERVAL 9 MINUTES AND home_time + INTERVAL 9 MINUTES
    """))
    .select("card_id", "home_payment", "foreign_payment", "amount")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/alarms")
    .toTable("alarms"))

# %% with `.trigger(availableNow=True)`: must keep running
DA.exercise("10L.2")  # removes what an earlier attempt created

at_home = payments.where("country = home").selectExpr(
    "card_id", "transaction_id AS home_payment", "event_time AS home_time")
abroad = payments.where("country != home").selectExpr(
    "card_id AS card", "transaction_id AS foreign_payment", "amount", "event_time AS foreign_time")

alarms = (at_home
    .join(abroad, F.expr("""
        card = card_id
        AND foreign_time BETWEEN home_time - INTERVAL 10 MINUTES AND home_time + INTERVAL 10 MINUTES
    """))
    .select("card_id", "home_payment", "foreign_payment", "amount")
    .writeStream
    .trigger(availableNow=True)
    .option("checkpointLocation", f"{DA.paths.checkpoints}/alarms")
    .toTable("alarms"))

# %% with `.trigger(processingTime="5 seconds")`: starts a batch every 5 s
DA.exercise("10L.2")  # removes what an earlier attempt created

at_home = payments.where("country = home").selectExpr(
    "card_id", "transaction_id AS home_payment", "event_time AS home_time")
abroad = payments.where("country != home").selectExpr(
    "card_id AS card", "transaction_id AS foreign_payment", "amount", "event_time AS foreign_time")

alarms = (at_home
    .join(abroad, F.expr("""
        card = card_id
        AND foreign_time BETWEEN home_time - INTERVAL 10 MINUTES AND home_time + INTERVAL 10 MINUTES
    """))
    .select("card_id", "home_payment", "foreign_payment", "amount")
    .writeStream
    .trigger(processingTime="5 seconds")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/alarms")
    .toTable("alarms"))

# %% `other` for `alarms`: `alarms` was asked for
DA.exercise("10L.2")  # removes what an earlier attempt created

at_home = payments.where("country = home").selectExpr(
    "card_id", "transaction_id AS home_payment", "event_time AS home_time")
abroad = payments.where("country != home").selectExpr(
    "card_id AS card", "transaction_id AS foreign_payment", "amount", "event_time AS foreign_time")

alarms = (at_home
    .join(abroad, F.expr("""
        card = card_id
        AND foreign_time BETWEEN home_time - INTERVAL 10 MINUTES AND home_time + INTERVAL 10 MINUTES
    """))
    .select("card_id", "home_payment", "foreign_payment", "amount")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/other")
    .toTable("alarms"))
