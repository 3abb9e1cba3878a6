DA.exercise("07.1")  # removes what an earlier attempt created

done = sorted(int(name) for name in names if name.isdigit())
