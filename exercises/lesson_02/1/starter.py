DA.exercise("02.1")  # removes what an earlier attempt created

fitting = None  # read and write the stream here
