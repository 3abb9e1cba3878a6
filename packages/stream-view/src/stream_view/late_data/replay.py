"""A batch's rows as they entered an operator, read again; and those that the watermark dropped."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from stream_view.late_data import plans
from stream_view.late_data.batches import PastBatch
from stream_view.late_data.operators import Input
from stream_view.late_data.replayed_sources import Sources

#: The group with which Spark has counted a row; NULL where it counts rows.
GROUP = "group"


@dataclass(frozen=True)
class Replay:
    """What reads batches again: the session of the frames, one for the plans, and the sources."""

    spark: SparkSession
    session: Any
    sources: Sources

    def late(self, entered: Input, batch: PastBatch) -> DataFrame:
        """Return the rows of a batch that an operator dropped.

        The columns are ``batch``, ``watermark``, ``event_time``, ``late_by``, ``group``, and ``row``, a struct of the
        row's own.

        Raises
        ------
        CannotBeRead
            A source does not have the rows any more.
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
