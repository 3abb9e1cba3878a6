DA.exercise("15L.1")  # removes what an earlier attempt created, and what was built on it

RULES = {
    "possible level": "...",
    "measured before received": "...",
    "good battery": "...",
}

# your definition of bronze


update = None  # then run_pipeline()
