# %% `# ticks, but only the even values` for `.where("value % 2 = 0")`: contains odd values
DA.exercise("00.1")  # removes what an earlier attempt created

ticks = (spark.readStream
    .format("rate")
    .option("rowsPerSecond", 5)
    .load())

evens = ticks  # ticks, but only the even values

if evens is not None:
    display(evens, streamName="evens")

# %% `2 = 1")` for `2 = 0")`: the odd values
DA.exercise("00.1")  # removes what an earlier attempt created

ticks = (spark.readStream
    .format("rate")
    .option("rowsPerSecond", 5)
    .load())

evens = ticks.where("value % 2 = 1")

if evens is not None:
    display(evens, streamName="evens")

# %% `value % 4 = 0` for `value % 2 = 0`: Even values are missing, such as 2
DA.exercise("00.1")  # removes what an earlier attempt created

ticks = (spark.readStream
    .format("rate")
    .option("rowsPerSecond", 5)
    .load())

evens = ticks.where("value % 4 = 0")

if evens is not None:
    display(evens, streamName="evens")

# %% `"value < 0"` for `"value % 2 = 0"`: there are 0 values
DA.exercise("00.1")  # removes what an earlier attempt created

ticks = (spark.readStream
    .format("rate")
    .option("rowsPerSecond", 5)
    .load())

evens = ticks.where("value < 0")

if evens is not None:
    display(evens, streamName="evens")

# %% `selectExpr("timestamp", "value * 2 AS value` for `where("value % 2 = 0`: computes a new `value`
DA.exercise("00.1")  # removes what an earlier attempt created

ticks = (spark.readStream
    .format("rate")
    .option("rowsPerSecond", 5)
    .load())

evens = ticks.selectExpr("timestamp", "value * 2 AS value")

if evens is not None:
    display(evens, streamName="evens")

# %% `selectExpr` for `where`: no column `value`
DA.exercise("00.1")  # removes what an earlier attempt created

ticks = (spark.readStream
    .format("rate")
    .option("rowsPerSecond", 5)
    .load())

evens = ticks.selectExpr("value % 2 = 0")

if evens is not None:
    display(evens, streamName="evens")

# %% `spark.range(10) # ticks, but only the even values` for `ticks.where("value % 2 = 0")`: is not a stream
DA.exercise("00.1")  # removes what an earlier attempt created

ticks = (spark.readStream
    .format("rate")
    .option("rowsPerSecond", 5)
    .load())

evens = spark.range(10)  # ticks, but only the even values

if evens is not None:
    display(evens, streamName="evens")

# %% `"value % 2 = 0" # ticks, but only the even values` for `ticks.where("value % 2 = 0")`: is a str
DA.exercise("00.1")  # removes what an earlier attempt created

ticks = (spark.readStream
    .format("rate")
    .option("rowsPerSecond", 5)
    .load())

evens = "value % 2 = 0"  # ticks, but only the even values

if evens is not None:
    display(evens, streamName="evens")

# %% `number` for `value`: raised an error
DA.exercise("00.1")  # removes what an earlier attempt created

ticks = (spark.readStream
    .format("rate")
    .option("rowsPerSecond", 5)
    .load())

evens = ticks.where("number % 2 = 0")

if evens is not None:
    display(evens, streamName="evens")
