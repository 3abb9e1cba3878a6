"""When batches were done, so that files can be cleaned up a given time afterwards.

A line is added for each batch: how many files of the log were done, and when.  It tells nothing that correctness needs;
a line lost in a crash only makes its files seem a little younger.
"""

from __future__ import annotations

import time
from bisect import bisect_right
from datetime import UTC, datetime

import pyarrow as pa

from pyspark_cloudfiles.log.segments import Segments

_SCHEMA = pa.schema([("end", pa.int64()), ("time", pa.int64())])


class Commits:
    """The commits of one stream.

    Parameters
    ----------
    log : str
        URL of the stream's log.
    """

    def __init__(self, log: str) -> None:
        self._segments = Segments(f"{log}/commits")
        self._ends: list[int] = []
        self._times: list[int] = []
        for table in self._segments.tables():
            self._ends += table["end"].to_pylist()
            self._times += table["time"].to_pylist()

    @property
    def end(self) -> int:
        """How many files of the log are known to be done."""
        return self._ends[-1] if self._ends else 0

    def add(self, end: int) -> None:
        """Note that all files before ``end`` are done."""
        if end <= self.end:
            return
        now = time.time_ns() // 1000
        self._segments.append(pa.table([[end], [now]], schema=_SCHEMA))
        self._ends.append(end)
        self._times.append(now)

    def time_of(self, number: int) -> datetime | None:
        """Return when a file was done, None if it is not known to be."""
        position = bisect_right(self._ends, number)
        return None if position == len(self._ends) else datetime.fromtimestamp(self._times[position] / 1e6, UTC)

    def done_before(self, moment: float) -> int:
        """Return how many files were done before a moment in seconds since the epoch."""
        position = bisect_right(self._times, int(moment * 1e6))
        return self._ends[position - 1] if position else 0
