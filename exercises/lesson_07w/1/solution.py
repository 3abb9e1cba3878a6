DA.exercise("07W.1")  # removes what an earlier attempt created

from pyspark.sql import functions as F

schema = """transaction_id STRING, card_id INT, amount DOUBLE, merchant STRING,
    category STRING, country STRING, event_time TIMESTAMP, received_at TIMESTAMP"""

received = (spark.readStream
    .schema(schema)
    .option("maxFilesPerTrigger", 4)
    .json(DA.paths.landing)
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/payments")
    .trigger(availableNow=True)
    .toTable("payments"))
received.awaitTermination()

spark.sql("""
    CREATE TABLE IF NOT EXISTS settled (
        transaction_id STRING, card_id INT, amount DOUBLE, country STRING,
        event_time TIMESTAMP)""")


def settle(batch, batch_id):
    once = (batch
        .select("transaction_id", "card_id", "amount", "country", "event_time")
        .dropDuplicates())
    once.createOrReplaceTempView("once")
    batch.sparkSession.sql("""
        MERGE INTO settled AS old USING once AS new
        ON old.transaction_id = new.transaction_id
        WHEN NOT MATCHED THEN INSERT *""")


settling = (spark.readStream
    .table("payments")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/settled")
    .foreachBatch(settle)
    .trigger(availableNow=True)
    .start())
settling.awaitTermination()

serving = (spark.readStream
    .table("settled")
    .groupBy("card_id")
    .agg(F.count("*").alias("payments"), F.round(F.sum("amount"), 2).alias("amount"))
    .writeStream
    .outputMode("complete")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/spending")
    .trigger(availableNow=True)
    .toTable("spending"))

counting = (spark.readStream
    .table("settled")
    .withWatermark("event_time", "2 hours")
    .groupBy("country", F.window("event_time", "1 hour"))
    .count()
    .select(
        "country", F.col("window.start").alias("hour"), F.col("count").alias("payments"))
    .writeStream
    .outputMode("append")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/by_hour")
    .trigger(availableNow=True)
    .toTable("by_hour"))

serving.awaitTermination()
counting.awaitTermination()
