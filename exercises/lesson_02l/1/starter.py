DA.exercise("02L.1")  # removes what an earlier attempt created

recordings = None  # the files as a stream

if recordings is not None:
    recordings.createOrReplaceTempView("recordings_vw")
