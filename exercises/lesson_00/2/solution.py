DA.data_factory.load()

readings_landed = spark.read.json(DA.paths.landing).count()
