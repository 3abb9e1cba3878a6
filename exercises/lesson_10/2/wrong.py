# %% `transaction_id` for the four columns: more than once
DA.exercise("10.2")  # removes what an earlier attempt created

purchases = (transactions
    .withWatermark("event_time", "2 hours")
    .dropDuplicatesWithinWatermark(["transaction_id"]))

# %% without `"event_time"` among the columns: are missing
DA.exercise("10.2")  # removes what an earlier attempt created

purchases = (transactions
    .withWatermark("event_time", "2 hours")
    .dropDuplicatesWithinWatermark(["card_id", "merchant", "amount"]))

# %% `10 minutes` for `2 hours`: are missing
DA.exercise("10.2")  # removes what an earlier attempt created

purchases = (transactions
    .withWatermark("event_time", "10 minutes")
    .dropDuplicatesWithinWatermark(["card_id", "merchant", "amount", "event_time"]))

# %% without a watermark: has no watermark
DA.exercise("10.2")  # removes what an earlier attempt created

purchases = transactions.dropDuplicates(["card_id", "merchant", "amount", "event_time"])

# %% a watermark on the arrival: has no watermark
DA.exercise("10.2")  # removes what an earlier attempt created

purchases = (transactions
    .withWatermark("received_at", "2 hours")
    .dropDuplicatesWithinWatermark(["card_id", "merchant", "amount", "event_time"]))

# %% the card and the time alone: are missing
DA.exercise("10.2")  # removes what an earlier attempt created

purchases = (transactions
    .withWatermark("event_time", "2 hours")
    .dropDuplicatesWithinWatermark(["card_id", "event_time"]))

# %% all columns, as `transaction_id` differs: more than once
DA.exercise("10.2")  # removes what an earlier attempt created

purchases = transactions.withWatermark("event_time", "2 hours").dropDuplicatesWithinWatermark()
