DA.exercise("05L.4")  # removes what an earlier attempt created

backlog = None  # read DA.paths.archive here, and write it to history in batches that fit
