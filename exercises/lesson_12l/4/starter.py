DA.exercise("12L.4")  # removes what an earlier attempt created

# the newest values of 6 September, 12:00:00, from change_log

# ... .createOrReplaceTempView("vouchers_vw")
