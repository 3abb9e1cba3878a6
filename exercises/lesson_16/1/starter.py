DA.exercise("16.1")  # removes what an earlier attempt created

report = healthy.recentProgress[1]  # of the second batch
to_come = None  # an integer, from the report
