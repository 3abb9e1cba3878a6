# %% without `.outputMode("update")`: when it is final
DA.exercise("14L.4")  # removes what an earlier attempt created
wars_topic = DA.kafka.create_topic("wars")

alerts = (spark.table("wars_vw")
    .selectExpr("title AS key", "to_json(struct(*)) AS value")
    .writeStream
    .format("kafka")
    .options(**DA.kafka.options)
    .option("topic", wars_topic)
    .option("checkpointLocation", f"{DA.paths.checkpoints}/alerts")
    .start())

# %% `complete` for `update`: all wars so far
DA.exercise("14L.4")  # removes what an earlier attempt created
wars_topic = DA.kafka.create_topic("wars")

alerts = (spark.table("wars_vw")
    .selectExpr("title AS key", "to_json(struct(*)) AS value")
    .writeStream
    .format("kafka")
    .options(**DA.kafka.options)
    .option("topic", wars_topic)
    .option("checkpointLocation", f"{DA.paths.checkpoints}/alerts")
    .outputMode("complete")
    .start())

# %% with `.trigger(availableNow=True)`: the next war is not detected
DA.exercise("14L.4")  # removes what an earlier attempt created
wars_topic = DA.kafka.create_topic("wars")

alerts = (spark.table("wars_vw")
    .selectExpr("title AS key", "to_json(struct(*)) AS value")
    .writeStream
    .format("kafka")
    .options(**DA.kafka.options)
    .option("topic", wars_topic)
    .option("checkpointLocation", f"{DA.paths.checkpoints}/alerts")
    .outputMode("update")
    .trigger(availableNow=True)
    .start())

# %% without `title AS key", "`: has no key
DA.exercise("14L.4")  # removes what an earlier attempt created
wars_topic = DA.kafka.create_topic("wars")

alerts = (spark.table("wars_vw")
    .selectExpr("to_json(struct(*)) AS value")
    .writeStream
    .format("kafka")
    .options(**DA.kafka.options)
    .option("topic", wars_topic)
    .option("checkpointLocation", f"{DA.paths.checkpoints}/alerts")
    .outputMode("update")
    .start())

# %% `wiki` for `title`: has the key `
DA.exercise("14L.4")  # removes what an earlier attempt created
wars_topic = DA.kafka.create_topic("wars")

alerts = (spark.table("wars_vw")
    .selectExpr("wiki AS key", "to_json(struct(*)) AS value")
    .writeStream
    .format("kafka")
    .options(**DA.kafka.options)
    .option("topic", wars_topic)
    .option("checkpointLocation", f"{DA.paths.checkpoints}/alerts")
    .outputMode("update")
    .start())

# %% `wiki, title, undos` for `*`: must be JSON with all columns
DA.exercise("14L.4")  # removes what an earlier attempt created
wars_topic = DA.kafka.create_topic("wars")

alerts = (spark.table("wars_vw")
    .selectExpr("title AS key", "to_json(struct(wiki, title, undos)) AS value")
    .writeStream
    .format("kafka")
    .options(**DA.kafka.options)
    .option("topic", wars_topic)
    .option("checkpointLocation", f"{DA.paths.checkpoints}/alerts")
    .outputMode("update")
    .start())

# %% `other` for `alerts`: was asked for
DA.exercise("14L.4")  # removes what an earlier attempt created
wars_topic = DA.kafka.create_topic("wars")

alerts = (spark.table("wars_vw")
    .selectExpr("title AS key", "to_json(struct(*)) AS value")
    .writeStream
    .format("kafka")
    .options(**DA.kafka.options)
    .option("topic", wars_topic)
    .option("checkpointLocation", f"{DA.paths.checkpoints}/other")
    .outputMode("update")
    .start())

# %% with `alerts.stop()`: was stopped
DA.exercise("14L.4")  # removes what an earlier attempt created
wars_topic = DA.kafka.create_topic("wars")

alerts = (spark.table("wars_vw")
    .selectExpr("title AS key", "to_json(struct(*)) AS value")
    .writeStream
    .format("kafka")
    .options(**DA.kafka.options)
    .option("topic", wars_topic)
    .option("checkpointLocation", f"{DA.paths.checkpoints}/alerts")
    .outputMode("update")
    .start())
alerts.stop()
