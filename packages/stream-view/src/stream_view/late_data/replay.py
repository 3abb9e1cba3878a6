"""A batch's rows as they entered an operator, read again; and those that the watermark dropped."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from py4j.protocol import Py4JError
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from stream_view.late_data import plans
from stream_view.late_data.operators import Input
from stream_view.late_data.replayed_sources import Sources

_ALLOW_MULTIPLE = "spark.sql.streaming.statefulOperator.allowMultiple"


@dataclass(frozen=True)
class PastBatch:
    """A finished batch: the start and end offsets of each source, None for an empty source, and its watermark in ms."""

    number: int
    starts: list[Any | None]
    ends: list[Any | None]
    watermark: int


@dataclass(frozen=True)
class History:
    """The batches that can be read again, and the first one's number."""

    first: int
    batches: list[PastBatch]


def history(execution: Any) -> History | None:
    """Return the batches of a query's checkpoint, or None before the first one.

    A batch reads from the previous one's offsets, so the oldest entry only gives the start of the next.
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
    """Return a field of an offset log entry's metadata, by its name in Spark 4.2 or 4.1."""
    try:
        return entry.metadataOpt()
    except Py4JError:
        return entry.metadata()


def _batches_back(execution: Any) -> int:
    """Return how many batches the watermark for late rows is behind: one, since operators can follow each other."""
    allows_multiple = execution.sparkSessionForStream().conf().get(_ALLOW_MULTIPLE, "true")
    return 1 if allows_multiple == "true" else 0


#: The group with which Spark has counted a row; NULL where it counts rows.
GROUP = "group"


@dataclass(frozen=True)
class Replay:
    """Reads batches again: with the session of the frames, one for the plans, and the sources."""

    spark: SparkSession
    session: Any
    sources: Sources

    def late(self, entered: Input, batch: PastBatch) -> DataFrame:
        """Return the rows of a batch that an operator dropped; CannotBeRead if a source no longer has them.

        The columns are ``batch``, ``watermark``, ``event_time``, ``late_by``, ``group``, and ``row``, a struct of the
        row's own.
        """
        frame = self._frame(entered, batch)
        watermark = F.timestamp_millis(F.lit(batch.watermark))
        own = dict(zip((column.position for column in entered.columns), map(_column, frame.columns), strict=True))
        compared = own[entered.compared.position]
        compared = (compared["end"] if entered.compared.is_window else compared).cast("timestamp")
        time = own[entered.event_time.position].cast("timestamp") if entered.event_time else F.lit(None)
        return frame.where(compared <= watermark).select(
            F.lit(batch.number).cast("long").alias("batch"),
            watermark.alias("watermark"),
            time.cast("timestamp").alias("event_time"),
            (watermark - compared).alias("late_by"),
            _group(entered, own).alias(GROUP),
            F.struct(*own.values()).alias("row"),
        )

    def _frame(self, entered: Input, batch: PastBatch) -> DataFrame:
        jvm = self.spark._jvm
        plan = plans.rebuilt(jvm, entered.plan, lambda leaf: self.sources.relation(leaf, batch.starts, batch.ends))
        return DataFrame(plans.rows_of(self.spark, self.session, plan), self.spark).toDF(
            *distinct(column.name for column in entered.columns)
        )


def distinct(names: Any) -> list[str]:
    """Return names of which no two are the same, as Spark compares them."""
    given: set[str] = set()
    result = []
    for name in names:
        free, number = name, 2
        while free.lower() in given:
            free, number = f"{name}_{number}", number + 1
        given.add(free.lower())
        result.append(free)
    return result


def _group(entered: Input, own: dict[int, Column]) -> Column:
    if entered.keys is None:
        return F.lit(None).cast("long")
    keys = [own[key.position] for key in entered.keys]
    return F.xxhash64(*keys, *([F.spark_partition_id()] if entered.per_task else []))


def _column(name: str) -> Column:
    return F.col("`" + name.replace("`", "``") + "`")
