DA.exercise("05.2")  # removes what an earlier attempt created

arrivals = spark.readStream.schema(schema).json(DA.paths.landing)

screen = None  # write arrivals into ward_screen, with the longest interval that is allowed
audit = None  # write arrivals into ward_audit, with the shortest interval that is allowed
