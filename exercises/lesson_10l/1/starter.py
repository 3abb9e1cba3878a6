DA.exercise("10L.1")  # removes what an earlier attempt created

payments = None  # a streaming DataFrame: each payment once, with the column home
