DA.exercise("05L.2")  # removes what an earlier attempt created

# write last_readings_vw here, with its trigger, output mode, checkpoint and table
ward = None
