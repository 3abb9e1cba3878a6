DA.exercise("10L.1")  # removes what an earlier attempt created

payments = (arrived
    .withWatermark("event_time", "2 hours")
    .dropDuplicatesWithinWatermark(["transaction_id"])
    .join(cards.selectExpr("card_id", "country AS home"), "card_id", "left")
    .select("transaction_id", "card_id", "amount", "country", "home", "event_time"))
