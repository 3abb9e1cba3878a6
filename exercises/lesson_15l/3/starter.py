DA.exercise("15L.3")  # removes what an earlier attempt created

# your definition of placed, from usable and stations


update = None  # then run_pipeline()
