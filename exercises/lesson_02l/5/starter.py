DA.exercise("02L.5")  # removes what an earlier attempt created

import time

first_run = None  # start it, wait for its first batch, stop it

second_run = None  # restart it, and wait until it has read everything

first_batch = None  # the number of the first batch in the second run
rows_read = None  # the rows that the second run has read
