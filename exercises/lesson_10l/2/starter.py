DA.exercise("10L.2")  # removes what an earlier attempt created

alarms = None  # the stream into the table alarms
