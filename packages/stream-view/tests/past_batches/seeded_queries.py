"""Queries of each kind over rows that a seed makes, run with a sink that keeps what each batch has written."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming import StreamingQuery
from pyspark.sql.streaming.stateful_processor import StatefulProcessor

SCHEMA = "id INT, key STRING, time TIMESTAMP, value INT"
PROVIDER = "spark.sql.streaming.stateStore.providerClass"
FIRST = 1_748_858_400  # 2025-06-02 10:00:00 UTC
Landed = Sequence[Sequence[dict]]


@dataclass(frozen=True)
class Kind:
    """A query over one stream or two, and its output mode."""

    frame: Callable[[DataFrame, DataFrame], DataFrame]
    mode: str = "append"
    provider: str = "HDFSBackedStateStoreProvider"


class Sums(StatefulProcessor):
    """Keep a sum for each key, and tell it in each batch."""

    def init(self, handle) -> None:
        self.sum = handle.getValueState("sum", "total LONG")

    def handleInputRows(self, key, rows, timer_values):
        total = self.sum.get()[0] if self.sum.exists() else 0
        total += sum(int(row.value) for row in rows)
        self.sum.update((total,))
        yield self._row(key[0], total)

    def _row(self, key, total):
        from pyspark.sql import Row

        return Row(key=key, total=total)

    def close(self) -> None:
        pass


def _joined(left: DataFrame, right: DataFrame) -> DataFrame:
    near = "l.key = r.key AND r.time BETWEEN l.time - INTERVAL 2 MINUTES AND l.time + INTERVAL 2 MINUTES"
    marked = (frame.withWatermark("time", "5 minutes") for frame in (left, right))
    one, other = marked
    return one.alias("l").join(other.alias("r"), F.expr(near), "left_outer").select("l.id", "l.time", F.col("r.id"))


def _late(rows: DataFrame) -> DataFrame:
    return rows.withWatermark("time", "5 minutes")


KINDS = {
    "stateless": Kind(lambda left, _right: left.where("value % 3 > 0").selectExpr("id", "value * 2 AS double", "key")),
    "windows": Kind(lambda left, _right: _late(left).groupBy(F.window("time", "5 minutes"), "key").agg(F.sum("value"))),
    "updated": Kind(lambda left, _right: left.groupBy("key").agg(F.sum("value"), F.max("id")), "update"),
    "complete": Kind(lambda left, _right: left.groupBy("key").count(), "complete"),
    "sessions": Kind(lambda left, _right: _late(left).groupBy(F.session_window("time", "1 minute"), "key").count()),
    "distinct": Kind(lambda left, _right: _late(left).dropDuplicates(["key", "time"])),
    "within": Kind(lambda left, _right: _late(left).dropDuplicatesWithinWatermark(["key"])),
    "joined": Kind(_joined),
    "chained": Kind(
        lambda left, _right: (
            _late(left)
            .groupBy(F.window("time", "1 minute"), "key")
            .count()
            .groupBy(F.window(F.window_time("window"), "5 minutes"))
            .sum("count")
        )
    ),
    "transformed": Kind(
        lambda left, _right: left.groupBy("key").transformWithState(Sums(), "key STRING, total LONG", "Update", "None"),
        "update",
        "RocksDBStateStoreProvider",
    ),
}


def landed(chance: random.Random, batches: int) -> Landed:
    """Return rows of so many batches: most in order, some late, some twice."""
    made, number = [], 0
    for batch in range(batches):
        rows = []
        for _row in range(chance.randint(1, 8)):
            late = chance.choice([0, 0, 0, 30, 240, 900])
            at = FIRST + batch * 120 + chance.randint(0, 119) - late
            number += 1
            rows.append({"id": number, "key": chance.choice("abc"), "time": at, "value": chance.randint(-5, 20)})
            if chance.random() < 0.2:
                rows.append(dict(rows[-1]))
        made.append(rows)
    return made


def land(folder: Path, batches: Landed) -> None:
    """Write a file for each batch; files are read in the order of their times."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, rows in enumerate(batches):
        file = folder / f"{number:04}.json"
        lines = [json.dumps(row | {"time": pd.Timestamp(row["time"], unit="s", tz="UTC").isoformat()}) for row in rows]
        file.write_text("".join(f"{line}\n" for line in lines))
        os.utime(file, (1_700_000_000 + number,) * 2)


def read(spark: SparkSession, folder: Path) -> DataFrame:
    """Return a stream of the files, one a batch."""
    return spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1).json(folder.as_uri())


def run(kind: Kind, frame: DataFrame, folder: Path) -> tuple[StreamingQuery, dict[int, list[str]]]:
    """Run a query until it has read everything; return it, and what each batch has written."""
    written: dict[int, list[str]] = {}
    writer = frame.writeStream.foreachBatch(lambda rows, batch: written.update({batch: texts(rows)}))
    writer = writer.outputMode(kind.mode).option("checkpointLocation", (folder / "checkpoint").as_uri())
    spark = frame.sparkSession
    before = spark.conf.get(PROVIDER)
    spark.conf.set(PROVIDER, f"org.apache.spark.sql.execution.streaming.state.{kind.provider}")
    try:
        query = writer.trigger(availableNow=True).start()
    finally:
        spark.conf.set(PROVIDER, before)
    query.awaitTermination()
    return query, written


def texts(rows: DataFrame) -> list[str]:
    """Return rows as sorted text, whose columns may have one name."""
    named = rows.toDF(*(f"c{number}" for number in range(len(rows.columns))))
    return sorted(row[0] for row in named.select(F.to_json(F.struct("*"), {"ignoreNullFields": "false"})).collect())
