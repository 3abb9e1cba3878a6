DA.exercise("05L.1")  # removes what an earlier attempt created

small = None  # write the stream here, with its limit and its trigger
