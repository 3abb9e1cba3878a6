# %% `.withWatermark("event_time", "10 minutes")`: 86 minutes late
DA.exercise("10L.1")  # removes what an earlier attempt created

payments = (arrived
    .withWatermark("event_time", "10 minutes")
    .dropDuplicatesWithinWatermark(["transaction_id"])
    .join(cards.selectExpr("card_id", "country AS home"), "card_id", "left")
    .select("transaction_id", "card_id", "amount", "country", "home", "event_time"))

# %% without `.withWatermark("event_time", "2 hours")`: watermark
DA.exercise("10L.1")  # removes what an earlier attempt created

payments = (arrived
    .dropDuplicatesWithinWatermark(["transaction_id"])
    .join(cards.selectExpr("card_id", "country AS home"), "card_id", "left")
    .select("transaction_id", "card_id", "amount", "country", "home", "event_time"))

# %% `card_id", "amount", "event_time` for `transaction_id`: alike but for their
DA.exercise("10L.1")  # removes what an earlier attempt created

payments = (arrived
    .withWatermark("event_time", "2 hours")
    .dropDuplicatesWithinWatermark(["card_id", "amount", "event_time"])
    .join(cards.selectExpr("card_id", "country AS home"), "card_id", "left")
    .select("transaction_id", "card_id", "amount", "country", "home", "event_time"))

# %% without `.dropDuplicatesWithinWatermark(["transaction_id"])`: more than once
DA.exercise("10L.1")  # removes what an earlier attempt created

payments = (arrived
    .withWatermark("event_time", "2 hours")
    .join(cards.selectExpr("card_id", "country AS home"), "card_id", "left")
    .select("transaction_id", "card_id", "amount", "country", "home", "event_time"))

# %% without `, "left"`: other payments
DA.exercise("10L.1")  # removes what an earlier attempt created

payments = (arrived
    .withWatermark("event_time", "2 hours")
    .dropDuplicatesWithinWatermark(["transaction_id"])
    .join(cards.selectExpr("card_id", "country AS home"), "card_id")
    .select("transaction_id", "card_id", "amount", "country", "home", "event_time"))

# %% without `, "event_time"`: `payments`
DA.exercise("10L.1")  # removes what an earlier attempt created

payments = (arrived
    .withWatermark("event_time", "2 hours")
    .dropDuplicatesWithinWatermark(["transaction_id"])
    .join(cards.selectExpr("card_id", "country AS home"), "card_id", "left")
    .select("transaction_id", "card_id", "amount", "country", "home"))

# %% `received_at` for `event_time`: `payments`
DA.exercise("10L.1")  # removes what an earlier attempt created

payments = (arrived
    .withWatermark("received_at", "2 hours")
    .dropDuplicatesWithinWatermark(["transaction_id"])
    .join(cards.selectExpr("card_id", "country AS home"), "card_id", "left")
    .select("transaction_id", "card_id", "amount", "country", "home", "event_time"))
