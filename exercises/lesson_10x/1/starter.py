DA.exercise("10X.1")  # removes what an earlier attempt created

straying = None  # the stream of the payments that no order explains
