DA.exercise("06.2")  # removes what an earlier attempt created

finished = None  # write the stream here: a count for every six hours, each once and final
