# %% without `, "left"`: before the expectation sees them
DA.exercise("15L.3")  # removes what an earlier attempt created


@dp.table
@dp.expect_or_drop("listed station", "name IS NOT NULL")
def placed():
    lines, stations = spark.readStream.table("usable"), spark.read.table("stations")
    return lines.join(stations, "station")


update = run_pipeline()

# %% `station` for `name`: NULL for a name
DA.exercise("15L.3")  # removes what an earlier attempt created


@dp.table
@dp.expect_or_drop("listed station", "station IS NOT NULL")
def placed():
    lines, stations = spark.readStream.table("usable"), spark.read.table("stations")
    return lines.join(stations, "station", "left")


update = run_pipeline()

# %% `expect` for `expect_or_drop`: NULL for a name
DA.exercise("15L.3")  # removes what an earlier attempt created


@dp.table
@dp.expect("listed station", "name IS NOT NULL")
def placed():
    lines, stations = spark.readStream.table("usable"), spark.read.table("stations")
    return lines.join(stations, "station", "left")


update = run_pipeline()

# %% `bronze` for `usable`: cannot be used
DA.exercise("15L.3")  # removes what an earlier attempt created


@dp.table
@dp.expect_or_drop("listed station", "name IS NOT NULL")
def placed():
    lines, stations = spark.readStream.table("bronze"), spark.read.table("stations")
    return lines.join(stations, "station", "left")


update = run_pipeline()

# %% a filter without an expectation: no expectation of `placed`
DA.exercise("15L.3")  # removes what an earlier attempt created


@dp.table
def placed():
    lines, stations = spark.readStream.table("usable"), spark.read.table("stations")
    return lines.join(stations, "station", "left").where("name IS NOT NULL")


update = run_pipeline()

# %% `stations.join(lines` for `lines.join(stations`: The update has failed
DA.exercise("15L.3")  # removes what an earlier attempt created


@dp.table
@dp.expect_or_drop("listed station", "name IS NOT NULL")
def placed():
    lines, stations = spark.readStream.table("usable"), spark.read.table("stations")
    return stations.join(lines, "station", "left")


update = run_pipeline()

# %% with `.select(lines["*"])`: The update has failed
DA.exercise("15L.3")  # removes what an earlier attempt created


@dp.table
@dp.expect_or_drop("listed station", "name IS NOT NULL")
def placed():
    lines, stations = spark.readStream.table("usable"), spark.read.table("stations")
    return lines.join(stations, "station", "left").select(lines["*"])


update = run_pipeline()
