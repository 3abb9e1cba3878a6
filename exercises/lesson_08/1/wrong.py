# %% `.start()` for `.load()`: raised an error
DA.exercise("08.1")  # removes what an earlier attempt created

arriving = (spark.readStream
    .format("cloudFiles")
    .option("cloudFiles.format", "json")
    .option("cloudFiles.schemaLocation", f"{DA.paths.checkpoints}/arriving")
    .start(DA.paths.landing)
)

# %% the checkpoints are loaded: raised an error
DA.exercise("08.1")  # removes what an earlier attempt created

arriving = (spark.readStream
    .format("cloudFiles")
    .option("cloudFiles.format", "json")
    .option("cloudFiles.schemaLocation", f"{DA.paths.checkpoints}/arriving")
    .load(DA.paths.checkpoints)
)

# %% a file is loaded: the files in `DA.paths.landing`
DA.exercise("08.1")  # removes what an earlier attempt created

arriving = (spark.readStream
    .format("cloudFiles")
    .option("cloudFiles.format", "json")
    .option("cloudFiles.schemaLocation", f"{DA.paths.checkpoints}/arriving")
    .load(f"{DA.paths.landing}/2025-06-01.json")
)
