DA.exercise("15L.5")  # removes what an earlier attempt created

EVERY_RULE = USABLE | {"listed station": "name IS NOT NULL"}

# your definition of refused, from bronze and stations


update = None  # then run_pipeline()
