DA.exercise("10.2")  # removes what an earlier attempt created

purchases = None  # a streaming DataFrame: the rows of transactions, each purchase once
