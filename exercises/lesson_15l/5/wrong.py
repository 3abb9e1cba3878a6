# %% `NOT ({rule})` for `({rule}) IS NOT TRUE`: so is NOT of it
DA.exercise("15L.5")  # removes what an earlier attempt created

EVERY_RULE = USABLE | {"listed station": "name IS NOT NULL"}


@dp.table
def refused():
    lines, stations = spark.readStream.table("bronze"), spark.read.table("stations")
    reasons = [F.when(F.expr(f"NOT ({rule})"), F.lit(name)) for name, rule in EVERY_RULE.items()]
    every = lines.join(stations, "station", "left").withColumn("reasons", F.array_compact(F.array(*reasons)))
    return every.where("size(reasons) > 0")


update = run_pipeline()

# %% without `.where("size(reasons) > 0")`: Every line is there
DA.exercise("15L.5")  # removes what an earlier attempt created

EVERY_RULE = USABLE | {"listed station": "name IS NOT NULL"}


@dp.table
def refused():
    lines, stations = spark.readStream.table("bronze"), spark.read.table("stations")
    reasons = [F.when(F.expr(f"({rule}) IS NOT TRUE"), F.lit(name)) for name, rule in EVERY_RULE.items()]
    every = lines.join(stations, "station", "left").withColumn("reasons", F.array_compact(F.array(*reasons)))
    return every


update = run_pipeline()

# %% without `, "left"`: inner join
DA.exercise("15L.5")  # removes what an earlier attempt created

EVERY_RULE = USABLE | {"listed station": "name IS NOT NULL"}


@dp.table
def refused():
    lines, stations = spark.readStream.table("bronze"), spark.read.table("stations")
    reasons = [F.when(F.expr(f"({rule}) IS NOT TRUE"), F.lit(name)) for name, rule in EVERY_RULE.items()]
    every = lines.join(stations, "station").withColumn("reasons", F.array_compact(F.array(*reasons)))
    return every.where("size(reasons) > 0")


update = run_pipeline()

# %% `USABLE` for `EVERY_RULE`: as well
DA.exercise("15L.5")  # removes what an earlier attempt created

EVERY_RULE = USABLE | {"listed station": "name IS NOT NULL"}


@dp.table
def refused():
    lines, stations = spark.readStream.table("bronze"), spark.read.table("stations")
    reasons = [F.when(F.expr(f"({rule}) IS NOT TRUE"), F.lit(name)) for name, rule in USABLE.items()]
    every = lines.join(stations, "station", "left").withColumn("reasons", F.array_compact(F.array(*reasons)))
    return every.where("size(reasons) > 0")


update = run_pipeline()

# %% `RULES` for `USABLE`: on mains
DA.exercise("15L.5")  # removes what an earlier attempt created

EVERY_RULE = RULES | {"listed station": "name IS NOT NULL"}


@dp.table
def refused():
    lines, stations = spark.readStream.table("bronze"), spark.read.table("stations")
    reasons = [F.when(F.expr(f"({rule}) IS NOT TRUE"), F.lit(name)) for name, rule in EVERY_RULE.items()]
    every = lines.join(stations, "station", "left").withColumn("reasons", F.array_compact(F.array(*reasons)))
    return every.where("size(reasons) > 0")


update = run_pipeline()

# %% `array(*reasons` for `array_compact(F.array(*reasons)`: NULLs among
DA.exercise("15L.5")  # removes what an earlier attempt created

EVERY_RULE = USABLE | {"listed station": "name IS NOT NULL"}


@dp.table
def refused():
    lines, stations = spark.readStream.table("bronze"), spark.read.table("stations")
    reasons = [F.when(F.expr(f"({rule}) IS NOT TRUE"), F.lit(name)) for name, rule in EVERY_RULE.items()]
    every = lines.join(stations, "station", "left").withColumn("reasons", F.array(*reasons))
    return every.where("size(reasons) > 0")


update = run_pipeline()

# %% `F.coalesce(*reasons)` for `*reasons`: each has one reason
DA.exercise("15L.5")  # removes what an earlier attempt created

EVERY_RULE = USABLE | {"listed station": "name IS NOT NULL"}


@dp.table
def refused():
    lines, stations = spark.readStream.table("bronze"), spark.read.table("stations")
    reasons = [F.when(F.expr(f"({rule}) IS NOT TRUE"), F.lit(name)) for name, rule in EVERY_RULE.items()]
    every = lines.join(stations, "station", "left").withColumn("reasons", F.array_compact(F.array(F.coalesce(*reasons))))
    return every.where("size(reasons) > 0")


update = run_pipeline()

# %% `concat_ws` for an array: must be an array
DA.exercise("15L.5")  # removes what an earlier attempt created

EVERY_RULE = USABLE | {"listed station": "name IS NOT NULL"}


@dp.table
def refused():
    lines, stations = spark.readStream.table("bronze"), spark.read.table("stations")
    reasons = [F.when(F.expr(f"({rule}) IS NOT TRUE"), F.lit(name)) for name, rule in EVERY_RULE.items()]
    every = lines.join(stations, "station", "left").withColumn("reasons", F.concat_ws(", ", *reasons))
    return every.where("reasons <> ''")


update = run_pipeline()

# %% one row per reason: is there twice
DA.exercise("15L.5")  # removes what an earlier attempt created

EVERY_RULE = USABLE | {"listed station": "name IS NOT NULL"}


@dp.table
def refused():
    lines, stations = spark.readStream.table("bronze"), spark.read.table("stations")
    reasons = [F.when(F.expr(f"({rule}) IS NOT TRUE"), F.lit(name)) for name, rule in EVERY_RULE.items()]
    every = lines.join(stations, "station", "left").withColumn("reasons", F.array_compact(F.array(*reasons))).selectExpr("* EXCEPT (reasons)", "explode(reasons) AS reason").selectExpr("*", "array(reason) AS reasons")
    return every.where("size(reasons) > 0")


update = run_pipeline()
