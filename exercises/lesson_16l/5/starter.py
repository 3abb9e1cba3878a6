DA.exercise("16L.5")  # removes what an earlier attempt created

cured = None  # the stream into the table cured
