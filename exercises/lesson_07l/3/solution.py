DA.exercise("07L.3")  # removes what an earlier attempt created
break_ward()  # and breaks it again

spark.sql("INSERT OVERWRITE ward SELECT DISTINCT * FROM ward")


def save_readings(batch, batch_id):
    (batch.write
        .option("txnAppId", "ward")
        .option("txnVersion", batch_id)
        .mode("append")
        .saveAsTable("ward"))
