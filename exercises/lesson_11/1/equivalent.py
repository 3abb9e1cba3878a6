# %% the status beside the last row
DA.exercise("11.1")

class Watch(EachSilence):
    def init(self, handle):
        super().init(handle)
        self.status = handle.getValueState("status", "value STRING")

    def handleInputRows(self, key, rows, timerValues):
        last = self.last.get()[0] if self.last.exists() else None
        status = self.status.get()[0] if self.status.exists() else None
        reported = not list(self.handle.listTimers())
        for row in sorted(rows, key=lambda row: row.ms):
            if last is not None and row.ms <= last:
                continue
            if last is not None and row.ms > last + LIMIT and not reported and status != "off":
                yield alarm(key, last)
            last, status, reported = row.ms, row.status, False
        self.remember(last)
        self.status.update((status,))

    def handleExpiredTimer(self, key, timerValues, expiredTimerInfo):
        found = super().handleExpiredTimer(key, timerValues, expiredTimerInfo)
        return iter([] if self.status.get()[0] == "off" else list(found))

run_into("calls", Watch())

# %% timers deleted when switched off
DA.exercise("11.1")

class Watch(EachSilence):
    def handleInputRows(self, key, rows, timerValues):
        for row in sorted(rows, key=lambda row: row.ms):
            yield from super().handleInputRows(key, [row], timerValues)
            if row.status == "off" and row.ms == self.last.get()[0]:
                for timer in list(self.handle.listTimers()):
                    self.handle.deleteTimer(timer)

run_into("calls", Watch())
