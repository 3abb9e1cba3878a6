DA.exercise("06X.1")  # removes what an earlier attempt created

times_on = None  # write the stream here: one row for each time that a device was on
