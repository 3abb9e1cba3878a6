"""The oracle's streams as Spark reads them: a file for each batch, and one query with an operator of each kind."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import reduce
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming import StreamingQuery

from .oracle import Late, Row, Stream

SCHEMA = "time TIMESTAMP, key STRING, id STRING"


def land(folder: Path, batches: Sequence[Sequence[Row]]) -> None:
    """Write a file for each batch; files are read in the order of their times."""
    folder.mkdir(parents=True)
    for number, rows in enumerate(batches):
        file = folder / f"{number:03}.json"
        lines = [json.dumps({"time": _text(row.time), "key": row.key, "id": row.id}) for row in rows]
        file.write_text("".join(f"{line}\n" for line in lines))
        os.utime(file, (1_700_000_000 + number,) * 2)


def start(spark: SparkSession, given: Stream, kinds: Sequence[str], folder: Path) -> StreamingQuery:
    """Run a query that has an operator of each kind side by side until it has read everything."""
    land(folder / "left", given.left)
    land(folder / "right", given.right)
    left, right = _read(spark, folder / "left", given.delay), _read(spark, folder / "right", given.right_delay)
    frames = [_operator(kind, left, right, given) for kind in kinds]
    return run(reduce(DataFrame.union, (frame.select(F.hash("*")) for frame in frames)), folder)


def run(frame: DataFrame, folder: Path, mode: str = "append") -> StreamingQuery:
    """Run a query until it has read everything; its checkpoint is in the folder."""
    writer = frame.writeStream.format("noop").option("checkpointLocation", (folder / "checkpoint").as_uri())
    query = writer.outputMode(mode).trigger(availableNow=True).start()
    query.awaitTermination()
    return query


def found(rows: DataFrame, position: int) -> list[Late]:
    """Return the rows that were found for an operator, as the oracle writes them."""
    kept = rows.where(F.col("operator") == position)
    window = {"stateStoreSave": "window", "sessionWindowStateStoreSaveExec": "session_window"}
    [(name,)] = kept.select("name").distinct().collect() or [("",)]
    start = F.unix_millis(F.col(f"row.{window[name]}.start")) if name in window else F.lit(None)
    return [tuple(row) for row in kept.select("batch", "side", "row.id", start).collect()]


def _read(spark: SparkSession, folder: Path, delay: int) -> DataFrame:
    files = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1).json(folder.as_uri())
    return files.withWatermark("time", f"{delay} seconds")


def _operator(kind: str, left: DataFrame, right: DataFrame, given: Stream) -> DataFrame:
    if kind == "tumbling":
        return left.groupBy(F.window("time", f"{given.size} seconds"), "key").count()
    if kind == "sliding":
        return left.groupBy(F.window("time", f"{given.size} seconds", f"{given.slide} seconds"), "key").count()
    if kind == "session":
        return left.groupBy(F.session_window("time", f"{given.gap} seconds"), "key").count()
    if kind == "dedupe":
        return left.dropDuplicates(["key", "time"]).select("id", "time")
    if kind == "within":
        return left.dropDuplicatesWithinWatermark(["key"])
    near = F.expr("l.key = r.key AND r.time BETWEEN l.time - INTERVAL 1 MINUTE AND l.time + INTERVAL 1 MINUTE")
    return left.alias("l").join(right.alias("r"), near).select("l.id", "l.time", "r.time", "r.id")


def _text(milliseconds: int) -> str:
    return datetime.fromtimestamp(milliseconds / 1000, UTC).isoformat(timespec="milliseconds")
