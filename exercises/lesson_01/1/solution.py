DA.exercise("01.1")  # removes what an earlier attempt created

impossible = arriving.where("heartrate < 0")

if impossible is not None:
    impossible.createOrReplaceTempView("impossible_vw")
