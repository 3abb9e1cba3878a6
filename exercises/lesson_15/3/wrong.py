# %% without the table property: Nothing protects
DA.exercise("15.3")  # removes what an earlier attempt created


@dp.table
def archive():
    return spark.readStream.text(f"{DA.paths.landing}/orders").select("value", "_metadata.file_name")


@dp.materialized_view
def archive_channels():
    channel = F.get_json_object("value", "$.channel").alias("channel")
    return spark.read.table("archive").groupBy(channel).agg(F.count("*").alias("lines"))


update = run_pipeline(full_refresh_all=True)

# %% `true` for `false`: Nothing protects
DA.exercise("15.3")  # removes what an earlier attempt created


@dp.table(table_properties={"pipelines.reset.allowed": "true"})
def archive():
    return spark.readStream.text(f"{DA.paths.landing}/orders").select("value", "_metadata.file_name")


@dp.materialized_view
def archive_channels():
    channel = F.get_json_object("value", "$.channel").alias("channel")
    return spark.read.table("archive").groupBy(channel).agg(F.count("*").alias("lines"))


update = run_pipeline(full_refresh_all=True)

# %% `materialized_view` for `table`, `read` for `readStream`: is a materialized view
DA.exercise("15.3")  # removes what an earlier attempt created


@dp.materialized_view(table_properties={"pipelines.reset.allowed": "false"})
def archive():
    return spark.read.text(f"{DA.paths.landing}/orders").select("value", "_metadata.file_name")


@dp.materialized_view
def archive_channels():
    channel = F.get_json_object("value", "$.channel").alias("channel")
    return spark.read.table("archive").groupBy(channel).agg(F.count("*").alias("lines"))


update = run_pipeline(full_refresh_all=True)

# %% without `full_refresh_all=True`: an ordinary update
DA.exercise("15.3")  # removes what an earlier attempt created


@dp.table(table_properties={"pipelines.reset.allowed": "false"})
def archive():
    return spark.readStream.text(f"{DA.paths.landing}/orders").select("value", "_metadata.file_name")


@dp.materialized_view
def archive_channels():
    channel = F.get_json_object("value", "$.channel").alias("channel")
    return spark.read.table("archive").groupBy(channel).agg(F.count("*").alias("lines"))


update = run_pipeline()

# %% `full_refresh="archive"` for `full_refresh_all=True`: property
DA.exercise("15.3")  # removes what an earlier attempt created


@dp.table(table_properties={"pipelines.reset.allowed": "false"})
def archive():
    return spark.readStream.text(f"{DA.paths.landing}/orders").select("value", "_metadata.file_name")


@dp.materialized_view
def archive_channels():
    channel = F.get_json_object("value", "$.channel").alias("channel")
    return spark.read.table("archive").groupBy(channel).agg(F.count("*").alias("lines"))


update = run_pipeline(full_refresh="archive")
