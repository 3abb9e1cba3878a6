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
        self.recent.put(known)


rising = run(heartbeats().groupBy("oven")
    .transformWithState(RecentRise(), rise, "Append", "None"), "recent_rises")
