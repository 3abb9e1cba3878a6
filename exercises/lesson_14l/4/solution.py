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
