DA.exercise("11.1")  # removes what an earlier attempt created


class Watch(EachSilence):
    def init(self, handle):
        super().init(handle)
        # the newest heartbeat that said "off"
        self.off = handle.getValueState("off", "ms LONG")

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
