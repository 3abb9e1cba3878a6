DA.exercise("03.1")  # removes what an earlier attempt created

odd_days = None  # read and write the stream here
