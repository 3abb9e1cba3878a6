DA.exercise("05L.3")  # removes what an earlier attempt created

# write the faulty readings of readings_vw here, as a job that costs as little as it can
report = None
