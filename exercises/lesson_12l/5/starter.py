DA.exercise("12L.5")  # removes what an earlier attempt created

forget = None  # a function: takes a card, and erases its data for good

# forget("K-407")
