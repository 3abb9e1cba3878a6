DA.exercise("07X.1")  # removes what an earlier attempt created

good = None  # a job: readings with a heart rate of zero or more, into good_readings
faulty = None  # another job: readings below zero, into faulty_readings
