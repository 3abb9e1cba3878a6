DA.exercise("01.3")  # removes what an earlier attempt created

faulty = None  # write the stream here, with its sink, its trigger and its checkpoint
