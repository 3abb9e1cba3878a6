# %% without `.where("heartrate < 0")`: has every reading
DA.exercise("01.1")  # removes what an earlier attempt created

impossible = arriving

if impossible is not None:
    impossible.createOrReplaceTempView("impossible_vw")

# %% `<= 0` for `< 0`: readings that you have not seen
DA.exercise("01.1")  # removes what an earlier attempt created

impossible = arriving.where("heartrate <= 0")

if impossible is not None:
    impossible.createOrReplaceTempView("impossible_vw")

# %% `> 0` for `< 0`: the valid readings
DA.exercise("01.1")  # removes what an earlier attempt created

impossible = arriving.where("heartrate > 0")

if impossible is not None:
    impossible.createOrReplaceTempView("impossible_vw")

# %% `read` for `readStream`: not a stream
DA.exercise("01.1")  # removes what an earlier attempt created

impossible = spark.read.table("all_readings").where("heartrate < 0")

if impossible is not None:
    impossible.createOrReplaceTempView("impossible_vw")

# %% `hartrate` for `heartrate`: raised an error
DA.exercise("01.1")  # removes what an earlier attempt created

impossible = arriving.where("hartrate < 0")

if impossible is not None:
    impossible.createOrReplaceTempView("impossible_vw")
