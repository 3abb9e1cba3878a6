"""The backlog of a stream: the data that its sources have and no batch has read yet.

Kafka reports rows; Delta and ``cloudFiles`` report files and bytes.  Spark's sources of files, rates and sockets report
nothing, which is not the same as an empty backlog.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from streaming_base.progress_reports import rows_read

#: Fields of an offset of ``cloudFiles``, and the metrics that are their distance from the latest.
_COUNTED = {"seqNum": "numFilesOutstanding", "numBytes": "numBytesOutstanding"}


@dataclass(frozen=True)
class Backlog:
    """The data left to read after a batch; None where the source does not report it.

    ``rows`` are exact for Kafka and an estimate for files (``is_estimate``), by the rows per file so far; ``files`` and
    ``size`` count files and their bytes.
    """

    rows: float | None = None
    is_estimate: bool = False
    files: float | None = None
    size: float | None = None

    @property
    def amount(self) -> float | None:
        """A number that grows with the backlog, in any unit."""
        return self.files if self.rows is None else self.rows


def backlog_of(reports: Sequence[Mapping[str, Any]]) -> Backlog:
    """Return the backlog after the last of some progress reports of batches, oldest first."""
    if not reports:
        return Backlog()
    sources = reports[-1].get("sources") or []
    offsets = [rows for source in sources if (rows := _offsets_behind(source)) is not None]
    files, size = _metric(sources, "numFilesOutstanding"), _metric(sources, "numBytesOutstanding")
    estimated = _rows_of_files(reports, files)
    counted = [*offsets, *([] if estimated is None else [estimated])]
    is_known = bool(counted) and (files is None or estimated is not None)
    return Backlog(sum(counted) if is_known else None, is_known and bool(files), files, size)


def growing_batches(reports: Sequence[Mapping[str, Any]]) -> int:
    """Return after how many of the last batches in a row more was left than after the batch before."""
    amounts = [backlog_of([report]).amount for report in reports]
    grown = 0
    for before, after in reversed(list(pairwise(amounts))):
        if before is None or after is None or after <= before:
            break
        grown += 1
    return grown


def _offsets_behind(source: Mapping[str, Any]) -> float | None:
    """Return the number of Kafka's offsets after those of the batch, or None for other sources."""
    latest, end = _by_partition(source.get("latestOffset")), _by_partition(source.get("endOffset"))
    if latest is None or end is None:
        return None
    return float(sum(max(0, offset - end.get(partition, 0)) for partition, offset in latest.items()))


def _by_partition(offset: Any) -> dict[tuple[str, str], int] | None:
    """Return Kafka's offsets by topic and partition, or None for offsets of another shape."""
    try:
        topics = json.loads(offset) if isinstance(offset, str) else offset
    except ValueError:
        return None
    if not isinstance(topics, Mapping) or not topics or not all(isinstance(of, Mapping) for of in topics.values()):
        return None
    pairs = {(topic, partition): at for topic, of in topics.items() for partition, at in of.items()}
    is_kafka = all(partition.isdecimal() and isinstance(at, int) for (_topic, partition), at in pairs.items())
    return pairs if is_kafka else None


def _metric(sources: Sequence[Mapping[str, Any]], name: str) -> float | None:
    """Return the sum of a metric over the sources that report it as a number."""
    found = [_number(_metrics(source).get(name)) for source in sources]
    known = [value for value in found if value is not None]
    return sum(known) if known else None


def _metrics(source: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a source's metrics.

    Python data sources cannot report metrics: those of ``cloudFiles`` are in its offsets.
    """
    latest, end = source.get("latestOffset"), source.get("endOffset")
    if isinstance(latest, Mapping) and isinstance(end, Mapping) and _COUNTED.keys() <= latest.keys() & end.keys():
        return {name: max(0, latest[field] - end[field]) for field, name in _COUNTED.items()}
    return source.get("metrics") or {}


def _number(text: Any) -> float | None:
    try:
        number = float(text)
    except (TypeError, ValueError):
        return None
    return number if abs(number) < float("inf") else None


def _rows_of_files(reports: Sequence[Mapping[str, Any]], files: float | None) -> float | None:
    """Return about how many rows some files have, by the batches after which fewer files were left than before."""
    if not files:
        return files
    taken = rows = 0.0
    for before, after in pairwise(reports):
        left = [_metric(report.get("sources") or [], "numFilesOutstanding") for report in (before, after)]
        if left[0] is not None and left[1] is not None and left[0] > left[1]:
            taken += left[0] - left[1]
            rows += rows_read(after)
    return files * rows / taken if taken else None
