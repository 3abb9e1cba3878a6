DA.exercise("05L.2")  # removes what an earlier attempt created

ward = None  # write last_readings_vw here, with its trigger, its output mode, its checkpoint and its table
