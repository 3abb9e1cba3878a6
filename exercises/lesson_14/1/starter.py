DA.exercise("14.1")  # removes what an earlier attempt created

broken = None  # from decoded: the messages that are not edits
