DA.exercise("05L.5")  # removes what an earlier attempt created

ward_run = None  # write the run here
