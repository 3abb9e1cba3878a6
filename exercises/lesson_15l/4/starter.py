DA.exercise("15L.4")  # removes what an earlier attempt created

# your definition of once, from placed


update = None  # then run_pipeline()
