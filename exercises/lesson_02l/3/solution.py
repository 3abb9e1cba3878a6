DA.exercise("02L.3")  # removes what an earlier attempt created

per_activity = spark.sql(
    "SELECT activity, count(*) AS recordings FROM activity_vw GROUP BY activity")

if per_activity is not None:
    display(per_activity, streamName="board")
