DA.exercise("03.2")  # removes what an earlier attempt created

as_recorded = None  # read and write the stream here
