# %% `expect_all_or_drop` for `expect_all`: every line as it arrived
DA.exercise("15L.1")  # removes what an earlier attempt created, and what was built on it

RULES = {
    "possible level": "level BETWEEN 0 AND 1000",
    "measured before received": "measured <= received",
    "good battery": "battery >= 10.5",
}


@dp.table
@dp.expect_all_or_drop(RULES)
def bronze():
    return spark.readStream.schema(SCHEMA).json(DA.paths.landing)


update = run_pipeline()

# %% without the upper limit: too low
DA.exercise("15L.1")  # removes what an earlier attempt created, and what was built on it

RULES = {
    "possible level": "level >= 0",
    "measured before received": "measured <= received",
    "good battery": "battery >= 10.5",
}


@dp.table
@dp.expect_all(RULES)
def bronze():
    return spark.readStream.schema(SCHEMA).json(DA.paths.landing)


update = run_pipeline()

# %% compared with now: the lines are old
DA.exercise("15L.1")  # removes what an earlier attempt created, and what was built on it

RULES = {
    "possible level": "level BETWEEN 0 AND 1000",
    "measured before received": "measured <= now()",
    "good battery": "battery >= 10.5",
}


@dp.table
@dp.expect_all(RULES)
def bronze():
    return spark.readStream.schema(SCHEMA).json(DA.paths.landing)


update = run_pipeline()

# %% `"measured > received"` for `"measured <= received"`: is inverted
DA.exercise("15L.1")  # removes what an earlier attempt created, and what was built on it

RULES = {
    "possible level": "level BETWEEN 0 AND 1000",
    "measured before received": "measured > received",
    "good battery": "battery >= 10.5",
}


@dp.table
@dp.expect_all(RULES)
def bronze():
    return spark.readStream.schema(SCHEMA).json(DA.paths.landing)


update = run_pipeline()

# %% without `@dp.expect_all(RULES)`: is named `possible level`
DA.exercise("15L.1")  # removes what an earlier attempt created, and what was built on it

RULES = {
    "possible level": "level BETWEEN 0 AND 1000",
    "measured before received": "measured <= received",
    "good battery": "battery >= 10.5",
}


@dp.table
def bronze():
    return spark.readStream.schema(SCHEMA).json(DA.paths.landing)


update = run_pipeline()

# %% `read` for `readStream`: is a materialized view
DA.exercise("15L.1")  # removes what an earlier attempt created, and what was built on it

RULES = {
    "possible level": "level BETWEEN 0 AND 1000",
    "measured before received": "measured <= received",
    "good battery": "battery >= 10.5",
}


@dp.table
@dp.expect_all(RULES)
def bronze():
    return spark.read.schema(SCHEMA).json(DA.paths.landing)


update = run_pipeline()

# %% `batterie` for `battery`: The update has failed
DA.exercise("15L.1")  # removes what an earlier attempt created, and what was built on it

RULES = {
    "possible level": "level BETWEEN 0 AND 1000",
    "measured before received": "measured <= received",
    "good battery": "batterie >= 10.5",
}


@dp.table
@dp.expect_all(RULES)
def bronze():
    return spark.readStream.schema(SCHEMA).json(DA.paths.landing)


update = run_pipeline()
