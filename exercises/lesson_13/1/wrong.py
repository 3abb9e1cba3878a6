# %% `other_bronze` for `bronze`: which was asked for
DA.exercise("13.1")  # removes what an earlier attempt created


def bronze():
    lines = (spark.readStream
        .format("cloudFiles")
        .option("cloudFiles.format", "text")
        .load(DA.paths.landing)
        .select("value", "_metadata.file_name"))
    query = (lines.writeStream
        .option("checkpointLocation", f"{DA.paths.checkpoints}/other_bronze")
        .trigger(availableNow=True)
        .toTable("bronze_deliveries"))
    query.awaitTermination()


bronze()

# %% parsed as JSON: value
DA.exercise("13.1")  # removes what an earlier attempt created


def bronze():
    lines = (spark.readStream
        .format("cloudFiles")
        .option("cloudFiles.format", "json")
        .schema("scan_id STRING, fee DOUBLE")
        .load(DA.paths.landing)
        .select("scan_id", "fee", "_metadata.file_name"))
    query = (lines.writeStream
        .option("checkpointLocation", f"{DA.paths.checkpoints}/bronze")
        .trigger(availableNow=True)
        .toTable("bronze_deliveries"))
    query.awaitTermination()


bronze()

# %% `file_path` for `file_name`: file_name
DA.exercise("13.1")  # removes what an earlier attempt created


def bronze():
    lines = (spark.readStream
        .format("cloudFiles")
        .option("cloudFiles.format", "text")
        .load(DA.paths.landing)
        .select("value", "_metadata.file_path"))
    query = (lines.writeStream
        .option("checkpointLocation", f"{DA.paths.checkpoints}/bronze")
        .trigger(availableNow=True)
        .toTable("bronze_deliveries"))
    query.awaitTermination()


bronze()

# %% a batch job without a stream: There is no checkpoint `bronze`
DA.exercise("13.1")  # removes what an earlier attempt created


def bronze():
    lines = spark.read.text(DA.paths.landing).select("value", "_metadata.file_name")
    lines.write.mode("append").saveAsTable("bronze_deliveries")


bronze()

# %% without `.trigger(availableNow=True)`, without `query.awaitTermination()`: still running
DA.exercise("13.1")  # removes what an earlier attempt created


def bronze():
    lines = (spark.readStream
        .format("cloudFiles")
        .option("cloudFiles.format", "text")
        .load(DA.paths.landing)
        .select("value", "_metadata.file_name"))
    query = (lines.writeStream
        .option("checkpointLocation", f"{DA.paths.checkpoints}/bronze")
        .toTable("bronze_deliveries"))


bronze()

# %% with `where("value LIKE '{%'").`: two other nights
DA.exercise("13.1")  # removes what an earlier attempt created


def bronze():
    lines = (spark.readStream
        .format("cloudFiles")
        .option("cloudFiles.format", "text")
        .load(DA.paths.landing)
        .where("value LIKE '{%'").select("value", "_metadata.file_name"))
    query = (lines.writeStream
        .option("checkpointLocation", f"{DA.paths.checkpoints}/bronze")
        .trigger(availableNow=True)
        .toTable("bronze_deliveries"))
    query.awaitTermination()


bronze()
