DA.exercise("10L.3")  # removes what an earlier attempt created

testing = None  # the stream into the table large_payments
