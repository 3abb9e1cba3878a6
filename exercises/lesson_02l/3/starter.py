DA.exercise("02L.3")  # removes what an earlier attempt created

per_activity = None  # spark.sql("SELECT ...")

if per_activity is not None:
    display(per_activity, streamName="board")
