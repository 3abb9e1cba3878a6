DA.exercise("11.1")  # removes what an earlier attempt created


class Watch(EachSilence):
    ...  # which methods need to know the status?


# run_into("calls", Watch())
