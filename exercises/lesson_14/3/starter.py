DA.exercise("14.3")  # removes what an earlier attempt created

catch_up = None  # the stream
behind = None  # then a list, from its progress reports
