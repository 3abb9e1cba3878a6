# %% without the rule about the battery: which are on mains
DA.exercise("15L.2")  # removes what an earlier attempt created

USABLE = RULES


@dp.table
@dp.expect_all_or_drop(USABLE)
def usable():
    return spark.readStream.table("bronze")


update = run_pipeline()

# %% `coalesce(battery, 0)` for `battery IS NULL OR battery`: which are on mains
DA.exercise("15L.2")  # removes what an earlier attempt created

USABLE = RULES | {"good battery": "coalesce(battery, 0) >= 10.5"}


@dp.table
@dp.expect_all_or_drop(USABLE)
def usable():
    return spark.readStream.table("bronze")


update = run_pipeline()

# %% `expect_all` for `expect_all_or_drop`: Every line is there
DA.exercise("15L.2")  # removes what an earlier attempt created

USABLE = RULES | {"good battery": "battery IS NULL OR battery >= 10.5"}


@dp.table
@dp.expect_all(USABLE)
def usable():
    return spark.readStream.table("bronze")


update = run_pipeline()

# %% `battery > 0"}` for `battery >= 10.5"}`: with a weak battery
DA.exercise("15L.2")  # removes what an earlier attempt created

USABLE = RULES | {"good battery": "battery IS NULL OR battery > 0"}


@dp.table
@dp.expect_all_or_drop(USABLE)
def usable():
    return spark.readStream.table("bronze")


update = run_pipeline()

# %% without `RULES |`: Only the battery
DA.exercise("15L.2")  # removes what an earlier attempt created

USABLE = {"good battery": "battery IS NULL OR battery >= 10.5"}


@dp.table
@dp.expect_all_or_drop(USABLE)
def usable():
    return spark.readStream.table("bronze")


update = run_pipeline()

# %% a filter without expectations: silently
DA.exercise("15L.2")  # removes what an earlier attempt created

USABLE = RULES | {"good battery": "battery IS NULL OR battery >= 10.5"}


@dp.table
def usable():
    return spark.readStream.table("bronze").where(" AND ".join(f"({rule})" for rule in USABLE.values()))


update = run_pipeline()

# %% `silver` for `bronze`: The update has failed
DA.exercise("15L.2")  # removes what an earlier attempt created

USABLE = RULES | {"good battery": "battery IS NULL OR battery >= 10.5"}


@dp.table
@dp.expect_all_or_drop(USABLE)
def usable():
    return spark.readStream.table("silver")


update = run_pipeline()
