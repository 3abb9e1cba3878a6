"""Which batch a stream is at, and about how many there will be: what a line says of a stream that is waited for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import ceil
from typing import TYPE_CHECKING, Any

from stream_view.progress_reports import is_batch, next_batch, report_count, reports_since, rows_read

if TYPE_CHECKING:
    from pyspark.sql.streaming import StreamingQuery

MOST_REPORTS = 200  # that are read when a wait begins
# What sources report as still to be read: files of Delta and of Auto Loader, messages of Kafka.
_OUTSTANDING = ("numFilesOutstanding", "avgOffsetsBehindLatest")


class BatchesLeft:
    """What one wait says of its stream: the batch that it runs and about how many there will be.

    Batches are counted as Spark numbers them, from 0.  How many there will be is an estimate: the rest is divided by
    what the batches so far have taken.  Where nothing tells the rest, none is given.

    Parameters
    ----------
    query : StreamingQuery
        The stream.
    rows_there : callable, optional
        Returns how many rows the stream's source has, or None where the caller does not know.
    """

    def __init__(self, query: StreamingQuery, rows_there: Callable[[], int | None] = lambda: None) -> None:
        self._query, self._rows_there = query, rows_there
        self._last: Mapping[str, Any] | None = None
        self._batches: list[Mapping[str, Any]] = []

    def wait(self) -> str:
        """Return what is waited for now, such as ``waiting for clicks, batch 7 of about 10``."""
        self._read_reports()
        number = next_batch(self._query)
        if number is None:
            return f"waiting for {self._name}, which has not finished a batch yet"
        left = _by_rows(self._batches, self._rows_there()) or _by_outstanding(self._batches)
        of_about = f" of about {number + left - 1}" if left > 1 else ""
        return f"waiting for {self._name}, batch {number}{of_about}"

    @property
    def _name(self) -> str:
        return self._query.name or str(self._query.id)

    def _read_reports(self) -> None:
        """Add the new reports; each costs a call of the JVM, so of a long run only the last is read at first."""
        if self._last is None and report_count(self._query) > MOST_REPORTS:
            new: Sequence[Mapping[str, Any]] = [self._query.lastProgress]  # type: ignore[list-item]  # it has reported
        else:
            new = reports_since(self._query, self._last)
        self._last = new[-1] if new else self._last
        self._batches += [report for report in new if is_batch(report)]


def _by_rows(reports: Sequence[Mapping[str, Any]], rows_there: int | None) -> int:
    """Return how many batches the rest of the rows is; 0 where it is not known what has been read before."""
    if not rows_there or not reports or reports[0]["batchId"] != 0:
        return 0
    read = sum(map(rows_read, reports))
    return ceil((rows_there - read) * len(reports) / read) if 0 < read < rows_there else 0


def _by_outstanding(reports: Sequence[Mapping[str, Any]]) -> int:
    """Return how many batches the outstanding files or messages are, if the next batches take what the last one did."""
    before, last = ([_outstanding(report) for report in reports[-2:]] + [0.0, 0.0])[:2]
    taken = before - last
    return ceil(last / taken) if taken > 0 else 0


def _outstanding(report: Mapping[str, Any]) -> float:
    metrics = [source.get("metrics") or {} for source in report.get("sources") or ()]
    return sum(float(metric[name]) for metric in metrics for name in _OUTSTANDING if name in metric)
