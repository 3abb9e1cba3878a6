DA.exercise("13.6")  # removes what an earlier attempt created

wrong = {"repeats": None, "arrival": None, "waiting": None}  # rows of the report, by cause
