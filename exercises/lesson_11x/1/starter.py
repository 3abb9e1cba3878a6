DA.exercise("11X.1")  # removes what an earlier attempt created


class RecentRise(StatefulProcessor):
    ...  # as Rise, but with the heartbeats of the last ten minutes


rising = None  # run(...) with this processor, into recent_rises
