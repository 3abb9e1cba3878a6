DA.exercise("15L.1")  # removes what an earlier attempt created, and what was built on it

RULES = {
    "possible level": "level BETWEEN 0 AND 1000",
    "measured before received": "measured <= received",
    "good battery": "battery >= 10.5",
}


@dp.table
@dp.expect_all(RULES)
def bronze():
    return spark.readStream.schema(SCHEMA).json(DA.paths.landing)


update = run_pipeline()
