DA.exercise("01.1")  # removes what an earlier attempt created

impossible = None  # arriving.where("..."), with only the readings below zero

if impossible is not None:
    impossible.createOrReplaceTempView("impossible_vw")
