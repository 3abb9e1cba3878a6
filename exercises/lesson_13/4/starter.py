DA.exercise("13.4")  # removes what an earlier attempt created


def retry():
    ...  # move the lines of depots that are listed now from quarantine to silver_deliveries


retry()
