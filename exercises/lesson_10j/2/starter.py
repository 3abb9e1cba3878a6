DA.exercise("10J.2")  # removes what an earlier attempt created

paid_in_time = None  # a streaming DataFrame: orders, joined with payments that are in time
