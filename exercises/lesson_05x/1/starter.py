DA.exercise("05X.1")  # removes what an earlier attempt created

receiver = None  # write delivered into the table received, each text once
