DA.exercise("10.2")  # removes what an earlier attempt created

purchases = (transactions
    .withWatermark("event_time", "2 hours")
    .dropDuplicatesWithinWatermark(["card_id", "merchant", "amount", "event_time"]))
