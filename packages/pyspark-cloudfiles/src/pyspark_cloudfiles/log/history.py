"""The history of logged files: when each was ingested, and which were cleaned up."""

from __future__ import annotations

import time
from bisect import bisect_right
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import pyarrow as pa

from pyspark_cloudfiles.log.segments import Segments

_COMMITS = pa.schema([("end", pa.int64()), ("time", pa.int64())])
_NUMBERS = pa.list_(pa.int64())
_CLEANINGS = pa.schema(
    [
        ("end", pa.int64()),
        ("time", pa.int64()),
        ("mode", pa.string()),
        ("destination", pa.string()),
        ("failed", _NUMBERS),
        ("changed", _NUMBERS),
        ("again", _NUMBERS),
    ]
)


class Commits:
    """When batches were done, so that files can be cleaned up a given time afterwards, and for who asks.

    There is a line for each batch: how many files of the log were done, and when.  It tells nothing that correctness
    needs; a line lost in a crash only makes its files seem a little younger.  So where nothing waits for it, many lines
    are written at a time.

    Parameters
    ----------
    log : str
        URL of the stream's log.
    together : int
        After how many batches they are written.  The first of a process is written at once: it tells of batches before
        it, and a stream may be run for a batch at a time.
    """

    def __init__(self, log: str, together: int = 1) -> None:
        self._together = together
        self._unwritten = together - 1
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
        self._ends.append(end)
        self._times.append(time.time_ns() // 1000)
        self._unwritten += 1
        if self._unwritten >= self._together:
            self._write()

    def _write(self) -> None:
        written = len(self._segments)
        self._segments.append(pa.table([self._ends[written:], self._times[written:]], schema=_COMMITS))
        self._unwritten = 0

    def time_of(self, number: int) -> datetime | None:
        """Return when a file was done, None if it is not known to be."""
        position = bisect_right(self._ends, number)
        return None if position == len(self._ends) else datetime.fromtimestamp(self._times[position] / 1e6, UTC)

    def done_before(self, moment: float) -> int:
        """Return how many files were done before a moment in seconds since the epoch."""
        position = bisect_right(self._times, int(moment * 1e6))
        return self._ends[position - 1] if position else 0


class CleanedFiles:
    """Which files were cleaned up, when and how: the runs of the cleaner, each from where the last one ended.

    Parameters
    ----------
    log : str
        URL of the stream's log.
    """

    def __init__(self, log: str) -> None:
        self._segments = Segments(f"{log}/cleaned")
        self._runs: list[dict[str, Any]] = []
        self._ends: list[int] = []
        self._failed: set[int] = set()
        self._changed: set[int] = set()
        self._again: dict[int, dict[str, Any]] = {}
        for table in self._segments.tables():
            for run in table.to_pylist():
                self._take(run)

    @property
    def end(self) -> int:
        """How many files of the log were dealt with."""
        return self._ends[-1] if self._ends else 0

    @property
    def failed(self) -> list[int]:
        """Numbers of the files before the end that could not be cleaned up yet."""
        return sorted(self._failed)

    def add(
        self,
        end: int,
        mode: str,
        destination: str | None,
        failed: Sequence[int] = (),
        changed: Sequence[int] = (),
        again: Sequence[int] = (),
    ) -> None:
        """Note that all files before ``end`` were dealt with.

        Parameters
        ----------
        failed, changed : sequence of int
            Those among the new ones that could not be cleaned up, and that are others by now, which are left.
        again : sequence of int
            Those that failed earlier, and were cleaned up now.
        """
        run = {"end": end, "time": time.time_ns() // 1000, "mode": mode, "destination": destination}
        run |= {"failed": list(failed), "changed": list(changed), "again": list(again)}
        self._segments.append(pa.Table.from_pylist([run], schema=_CLEANINGS))
        self._take(run)

    def of(self, number: int) -> tuple[datetime | None, str | None, str | None]:
        """Return when, how and whereto a file was cleaned."""
        position = bisect_right(self._ends, number)
        if position == len(self._ends) or number in self._failed or number in self._changed:
            return None, None, None
        run = self._again.get(number) or self._runs[position]
        return datetime.fromtimestamp(run["time"] / 1e6, UTC), run["mode"], run["destination"]

    def _take(self, run: dict[str, Any]) -> None:
        self._runs.append(run)
        self._ends.append(run["end"])
        self._failed.update(run.get("failed") or ())  # runs of before did not note it
        self._changed.update(run.get("changed") or ())
        for number in run.get("again") or ():
            self._failed.discard(number)
            self._again[number] = run
