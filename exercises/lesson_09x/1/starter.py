DA.exercise("09X.1")  # removes what an earlier attempt created

rejecting = None  # the stream of the taps that the filter leaves out
