DA.exercise("07L.4")  # removes what an earlier attempt created
break_vitals()  # and breaks it again

vitals = None  # start the pipeline again here, with a query that can read the new file
