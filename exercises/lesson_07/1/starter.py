DA.exercise("07.1")  # removes what an earlier attempt created

done = None  # from names: the numbers of the committed batches, in order
