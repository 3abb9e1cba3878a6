# %% `True` for `found.last_ms not in off and not self.was_off(found.last_ms)`: switched off, and later on again
DA.exercise("11.1")  # removes what an earlier attempt created


class Watch(EachSilence):
    def init(self, handle):
        super().init(handle)
        self.off = handle.getValueState("off", "ms LONG")  # the newest heartbeat that said "off"

    def was_off(self, ms):
        return self.off.exists() and self.off.get()[0] == ms

    def handleInputRows(self, key, rows, timerValues):
        rows = list(rows)
        off = {row.ms for row in rows if row.status == "off"}
        for found in super().handleInputRows(key, rows, timerValues):
            if True:
                yield found
        if off:
            self.off.update((max(off),))

    def handleExpiredTimer(self, key, timerValues, expiredTimerInfo):
        for found in super().handleExpiredTimer(key, timerValues, expiredTimerInfo):
            if not self.was_off(found.last_ms):
                yield found


run_into("calls", Watch())

# %% without `if not self.was_off(found.last_ms):`: switched off for good
DA.exercise("11.1")  # removes what an earlier attempt created


class Watch(EachSilence):
    def init(self, handle):
        super().init(handle)
        self.off = handle.getValueState("off", "ms LONG")  # the newest heartbeat that said "off"

    def was_off(self, ms):
        return self.off.exists() and self.off.get()[0] == ms

    def handleInputRows(self, key, rows, timerValues):
        rows = list(rows)
        off = {row.ms for row in rows if row.status == "off"}
        for found in super().handleInputRows(key, rows, timerValues):
            if found.last_ms not in off and not self.was_off(found.last_ms):
                yield found
        if off:
            self.off.update((max(off),))

    def handleExpiredTimer(self, key, timerValues, expiredTimerInfo):
        for found in super().handleExpiredTimer(key, timerValues, expiredTimerInfo):
                    yield found


run_into("calls", Watch())

# %% in a dictionary of the processor: has to be in the state
DA.exercise("11.1")  # removes what an earlier attempt created


class Watch(EachSilence):
    def init(self, handle):
        super().init(handle)
        self.off = {}

    def was_off(self, ms):
        return self.off.get(0) == ms

    def handleInputRows(self, key, rows, timerValues):
        rows = list(rows)
        off = {row.ms for row in rows if row.status == "off"}
        for found in super().handleInputRows(key, rows, timerValues):
            if found.last_ms not in off and not self.was_off(found.last_ms):
                yield found
        if off:
            self.off[0] = max(off)

    def handleExpiredTimer(self, key, timerValues, expiredTimerInfo):
        for found in super().handleExpiredTimer(key, timerValues, expiredTimerInfo):
            if not self.was_off(found.last_ms):
                yield found


run_into("calls", Watch())

# %% without the rows that are off: do not leave it out
DA.exercise("11.1")  # removes what an earlier attempt created


class Watch(EachSilence):
    def handleInputRows(self, key, rows, timerValues):
        on = [row for row in rows if row.status == "on"]
        return super().handleInputRows(key, on, timerValues) if on else iter(())


run_into("calls", Watch())

# %% `return self.off.exists() and ms >= 0`, `if not off and not self.was_off(found.last_ms):`: another night
DA.exercise("11.1")  # removes what an earlier attempt created


class Watch(EachSilence):
    def init(self, handle):
        super().init(handle)
        self.off = handle.getValueState("off", "ms LONG")  # the newest heartbeat that said "off"

    def was_off(self, ms):
        return self.off.exists() and ms >= 0

    def handleInputRows(self, key, rows, timerValues):
        rows = list(rows)
        off = {row.ms for row in rows if row.status == "off"}
        for found in super().handleInputRows(key, rows, timerValues):
            if not off and not self.was_off(found.last_ms):
                yield found
        if off:
            self.off.update((max(off),))

    def handleExpiredTimer(self, key, timerValues, expiredTimerInfo):
        for found in super().handleExpiredTimer(key, timerValues, expiredTimerInfo):
            if not self.was_off(found.last_ms):
                yield found


run_into("calls", Watch())

# %% `Silence` for `EachSilence`: derive `Watch` from `EachSilence`
DA.exercise("11.1")  # removes what an earlier attempt created


class Watch(Silence):
    def init(self, handle):
        super().init(handle)
        self.off = handle.getValueState("off", "ms LONG")  # the newest heartbeat that said "off"

    def was_off(self, ms):
        return self.off.exists() and self.off.get()[0] == ms

    def handleInputRows(self, key, rows, timerValues):
        rows = list(rows)
        off = {row.ms for row in rows if row.status == "off"}
        for found in super().handleInputRows(key, rows, timerValues):
            if found.last_ms not in off and not self.was_off(found.last_ms):
                yield found
        if off:
            self.off.update((max(off),))

    def handleExpiredTimer(self, key, timerValues, expiredTimerInfo):
        for found in super().handleExpiredTimer(key, timerValues, expiredTimerInfo):
            if not self.was_off(found.last_ms):
                yield found


run_into("calls", Watch())
