"""Which batch a stream is at, and about how many there will be: what a line says of a stream that is waited for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil
from typing import TYPE_CHECKING, Any

from stream_view.progress_reports import is_batch, report_count, rows_read

if TYPE_CHECKING:
    from pyspark.sql.streaming import StreamingQuery

MOST_REPORTS = 200  # that are read for one line
# What sources report as still to be read: files of Delta and of Auto Loader, messages of Kafka.
_OUTSTANDING = ("numFilesOutstanding", "avgOffsetsBehindLatest")


def at_batch(query: StreamingQuery, rows_there: int | None = None) -> str:
    """Return a stream's name and the batch that it runs, such as ``clicks, batch 7 of about 10``.

    Batches are counted as Spark numbers them, from 0.  How many there will be is an estimate: the rest is divided by
    what the batches so far have taken.  Where nothing tells the rest, none is given.

    Parameters
    ----------
    query : StreamingQuery
        The stream.
    rows_there : int, optional
        How many rows the stream's source has, where the caller knows.
    """
    reports = [report for report in _reports(query) if is_batch(report)]
    number = reports[-1]["batchId"] + 1 if reports else 0
    left = _by_rows(reports, rows_there) or _by_outstanding(reports)
    of_about = f" of about {number + left - 1}" if left > 1 else ""
    return f"{query.name or query.id}, batch {number}{of_about}"


def _reports(query: StreamingQuery) -> Sequence[Mapping[str, Any]]:
    """Return a query's reports; of one that has run for long only the last, as each costs a call of the JVM."""
    if report_count(query) <= MOST_REPORTS:
        return query.recentProgress
    return [query.lastProgress]  # type: ignore[list-item]  # it has reported


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
