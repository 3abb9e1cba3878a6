DA.exercise("08.1")  # removes what an earlier attempt created

arriving = (spark.readStream
    .format("cloudFiles")
    .option("cloudFiles.format", "json")
    .option("cloudFiles.schemaLocation", f"{DA.paths.checkpoints}/arriving")
    .load(DA.paths.landing)
)
