"""The batches of a query as its checkpoint has them: the offsets between which each has read, and its watermark."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from py4j.protocol import Py4JError

from stream_view.late_data import plans

_ALLOW_MULTIPLE = "spark.sql.streaming.statefulOperator.allowMultiple"


@dataclass(frozen=True)
class PastBatch:
    """A batch that has ended.

    Attributes
    ----------
    number : int
        Its number.
    starts, ends : list
        The offsets of each source, objects of Spark's own; None where a source had none yet.
    watermark : int
        What its rows were compared with, in milliseconds.
    """

    number: int
    starts: list[Any | None]
    ends: list[Any | None]
    watermark: int


@dataclass(frozen=True)
class History:
    """The batches that can be read again, and the number of the first of them."""

    first: int
    batches: list[PastBatch]


def history(execution: Any) -> History | None:
    """Return the batches that a query's checkpoint has; None where no batch has ended.

    A batch reads from the last one's offsets to its own, so the oldest that is kept tells only where the next begins.
    """
    last = plans.option(execution.commitLog().getLatestBatchId())
    if last is None:
        return None
    log: dict[int, Any] = {}
    number = int(last)
    while number >= 0 and (entry := plans.option(execution.offsetLog().get(number))) is not None:
        log[number] = entry
        number -= 1
    first = number + 1 if number < 0 else number + 2
    back = _batches_back(execution)
    return History(first, [_batch(log, number, back) for number in sorted(log) if number >= first])


def _batch(log: dict[int, Any], number: int, back: int) -> PastBatch:
    ends = offsets_of(log[number])
    starts = offsets_of(log[number - 1]) if number else [None] * len(ends)
    return PastBatch(number, starts + [None] * (len(ends) - len(starts)), ends, _watermark(log, number - back))


def offsets_of(entry: Any) -> list[Any | None]:
    """Return the offset of each source in an entry of the offset log; None where a source had none yet."""
    return [plans.option(offset) for offset in plans.items(entry.offsets())]


def _watermark(log: dict[int, Any], number: int) -> int:
    return int(_metadata(log[number]).get().batchWatermarkMs()) if number >= 0 else 0


def _metadata(entry: Any) -> Any:
    """Return what an entry of the offset log says besides offsets, under its name in Spark 4.2 or in 4.1."""
    try:
        return entry.metadataOpt()
    except Py4JError:
        return entry.metadata()


def _batches_back(execution: Any) -> int:
    """Return how many batches the watermark for late rows is behind: one, since operators can follow each other."""
    allows_multiple = execution.sparkSessionForStream().conf().get(_ALLOW_MULTIPLE, "true")
    return 1 if allows_multiple == "true" else 0
