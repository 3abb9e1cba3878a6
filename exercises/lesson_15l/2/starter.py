DA.exercise("15L.2")  # removes what an earlier attempt created

USABLE = RULES | {}  # with the rule that you have repaired

# your definition of usable, from bronze


update = None  # then run_pipeline()
