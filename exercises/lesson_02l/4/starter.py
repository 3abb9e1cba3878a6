DA.exercise("02L.4")  # removes what an earlier attempt created

log = None  # write activity_vw to the table, with a name, a trigger and a checkpoint
