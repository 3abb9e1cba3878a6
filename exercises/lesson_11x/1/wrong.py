# %% the last five, however old they are: leave out what is older
DA.exercise("11X.1")  # removes what an earlier attempt created


class RecentRise(StatefulProcessor):
    def init(self, handle):
        self.recent = handle.getListState("recent", "ms LONG, temperature DOUBLE")

    def handleInputRows(self, key, rows, timerValues):
        known = list(self.recent.get())
        for row in sorted(rows, key=lambda row: row.at):
            ms = int(row.at.timestamp() * 1000)
            if known and row.temperature - min(degrees for at, degrees in known) > 4:
                yield Row(oven=key[0], at=row.at,
                    degrees=round(row.temperature - min(degrees for at, degrees in known), 1))
            known.append((ms, row.temperature))
        self.recent.put(known[-5:])


rising = run(heartbeats().groupBy("oven")
    .transformWithState(RecentRise(), rise, "Append", "None"), "recent_rises")

# %% the rows are taken in the order in which they come: Sort the rows
DA.exercise("11X.1")  # removes what an earlier attempt created


class RecentRise(StatefulProcessor):
    def init(self, handle):
        self.recent = handle.getListState("recent", "ms LONG, temperature DOUBLE")

    def handleInputRows(self, key, rows, timerValues):
        known = list(self.recent.get())
        for row in rows:
            ms = int(row.at.timestamp() * 1000)
            known = [(at, degrees) for at, degrees in known if ms - at <= 10 * 60 * 1000]
            if known and row.temperature - min(degrees for at, degrees in known) > 4:
                yield Row(oven=key[0], at=row.at,
                    degrees=round(row.temperature - min(degrees for at, degrees in known), 1))
            known.append((ms, row.temperature))
        self.recent.put(known)


rising = run(heartbeats().groupBy("oven")
    .transformWithState(RecentRise(), rise, "Append", "None"), "recent_rises")

# %% only the newest heartbeat stays for the next batch: of an earlier batch
DA.exercise("11X.1")  # removes what an earlier attempt created


class RecentRise(StatefulProcessor):
    def init(self, handle):
        self.recent = handle.getListState("recent", "ms LONG, temperature DOUBLE")

    def handleInputRows(self, key, rows, timerValues):
        known = list(self.recent.get())
        for row in sorted(rows, key=lambda row: row.at):
            ms = int(row.at.timestamp() * 1000)
            known = [(at, degrees) for at, degrees in known if ms - at <= 10 * 60 * 1000]
            if known and row.temperature - min(degrees for at, degrees in known) > 4:
                yield Row(oven=key[0], at=row.at,
                    degrees=round(row.temperature - min(degrees for at, degrees in known), 1))
            known.append((ms, row.temperature))
        self.recent.put(known[-1:])


rising = run(heartbeats().groupBy("oven")
    .transformWithState(RecentRise(), rise, "Append", "None"), "recent_rises")

# %% the heartbeats that are appended, with no end: leave out what is older
DA.exercise("11X.1")  # removes what an earlier attempt created


class RecentRise(StatefulProcessor):
    def init(self, handle):
        self.recent = handle.getListState("recent", "ms LONG, temperature DOUBLE")

    def handleInputRows(self, key, rows, timerValues):
        known = list(self.recent.get())
        for row in sorted(rows, key=lambda row: row.at):
            ms = int(row.at.timestamp() * 1000)
            if known and row.temperature - min(degrees for at, degrees in known) > 4:
                yield Row(oven=key[0], at=row.at,
                    degrees=round(row.temperature - min(degrees for at, degrees in known), 1))
            known.append((ms, row.temperature))
        self.recent.put(known)


rising = run(heartbeats().groupBy("oven")
    .transformWithState(RecentRise(), rise, "Append", "None"), "recent_rises")
