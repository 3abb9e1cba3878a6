# %% without `DA.data_factory.load()`: No day has landed since
readings_landed = spark.read.json(DA.paths.landing).count()

# %% without `.count()`: end with `.count()`
DA.data_factory.load()

readings_landed = spark.read.json(DA.paths.landing)

# %% with `select("_metadata.file_name").distinct().`: the number of files
DA.data_factory.load()

readings_landed = spark.read.json(DA.paths.landing).select("_metadata.file_name").distinct().count()

# %% `readings_landed = spark.read.json(DA.paths.landing).count()` elsewhere: before the newest day landed
readings_landed = spark.read.json(DA.paths.landing).count()
DA.data_factory.load()

# %% a number typed in: typed in
DA.data_factory.load()

readings_landed = 4320
