"""Queries that copy rows from a source to a sink in batches of ten; as a program, they are killed and started again."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pyspark import TaskContext
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import col, udf
from pyspark.sql.streaming import DataStreamWriter, StreamingQuery

BATCH = 10  # rows
BATCHES = 3
TASKS = 4  # of each batch
A_ROW = 0.2  # seconds, times the number of the task: tasks that run side by side end one after the other


@dataclass(frozen=True)
class Copy:
    """What is copied, by names of a source and of a sink; the folder has all that is not in Kafka."""

    name: str
    source: str
    sink: str
    folder: str
    options: dict[str, str]
    topic: str
    copied: str

    def path(self, name: str) -> str:
        return (Path(self.folder) / name).as_uri()


def as_argument(copies: list[Copy]) -> str:
    """Return copies as the program takes them."""
    return json.dumps([asdict(copy) for copy in copies])


def land(spark: SparkSession, copy: Copy, send: Callable[[str, list[dict]], Any]) -> None:
    """Put three batches of ten rows where the copy reads them."""
    for batch in range(BATCHES):
        ids = range(batch * BATCH, (batch + 1) * BATCH)
        if copy.source == "Kafka":
            send(copy.topic, [{"value": str(number)} for number in ids])
            continue
        frame = spark.range(ids.start, ids.stop).coalesce(1)
        kind = "delta" if copy.source == "Delta" else "json"
        frame.write.format(kind).mode("append").save(copy.path("landed"))


def start(spark: SparkSession, copy: Copy) -> StreamingQuery:
    """Begin to copy what is there and was not copied before."""
    slow = udf(lambda number: time.sleep(A_ROW * TaskContext.get().partitionId()) or number, "int")
    rows = SOURCES[copy.source](spark, copy).repartition(TASKS).select(slow(col("id").cast("int")).alias("id"))
    writer = SINKS[copy.sink](rows, copy).option("checkpointLocation", copy.path("checkpoint"))
    return writer.queryName(copy.name).trigger(availableNow=True).start()


def copied(spark: SparkSession, copy: Copy) -> list[int]:
    """Return the ids that are in the sink."""
    return sorted(row[0] for row in READS[copy.sink](spark, copy).selectExpr("CAST(id AS INT)").collect())


def _files(spark: SparkSession, copy: Copy) -> DataFrame:
    return spark.readStream.schema("id INT").option("maxFilesPerTrigger", 1).json(copy.path("landed"))


def _delta(spark: SparkSession, copy: Copy) -> DataFrame:
    return spark.readStream.format("delta").option("maxFilesPerTrigger", 1).load(copy.path("landed"))


def _kafka(spark: SparkSession, copy: Copy) -> DataFrame:
    reader = spark.readStream.format("kafka").options(**copy.options).option("subscribe", copy.topic)
    reader = reader.option("startingOffsets", "earliest").option("maxOffsetsPerTrigger", BATCH)
    return reader.load().selectExpr("CAST(value AS STRING) AS id")


SOURCES = {"files": _files, "Delta": _delta, "Kafka": _kafka}


def _to(kind: str) -> Callable[[DataFrame, Copy], DataStreamWriter]:
    return lambda rows, copy: rows.writeStream.format(kind).option("path", copy.path("copied"))


def _to_kafka(rows: DataFrame, copy: Copy) -> DataStreamWriter:
    values = rows.selectExpr("CAST(id AS STRING) AS value")
    return values.writeStream.format("kafka").options(**copy.options).option("topic", copy.copied)


def _to_memory(rows: DataFrame, _copy: Copy) -> DataStreamWriter:
    return rows.writeStream.format("memory")


def _appending(rows: DataFrame, copy: Copy) -> DataStreamWriter:
    return rows.writeStream.foreachBatch(
        lambda batch, number: batch.write.format("delta").mode("append").save(copy.path("copied"))
    )


def _idempotent(rows: DataFrame, copy: Copy) -> DataStreamWriter:
    def append(batch: DataFrame, number: int) -> None:
        once = {"txnAppId": copy.folder, "txnVersion": number}
        batch.write.format("delta").options(**once).mode("append").save(copy.path("copied"))

    return rows.writeStream.foreachBatch(append)


SINKS = {
    "files": _to("json"),
    "Delta": _to("delta"),
    "Kafka": _to_kafka,
    "memory": _to_memory,
    "`foreachBatch`, appending": _appending,
    "`foreachBatch`, idempotent": _idempotent,
}


def _delta_rows(spark: SparkSession, copy: Copy) -> DataFrame:
    there = (Path(copy.folder) / "copied" / "_delta_log").exists()
    return spark.read.format("delta").load(copy.path("copied")) if there else spark.range(0)


def _file_rows(spark: SparkSession, copy: Copy) -> DataFrame:
    there = (Path(copy.folder) / "copied" / "_spark_metadata").exists()
    return spark.read.schema("id INT").json(copy.path("copied")) if there else spark.range(0)


def _kafka_rows(spark: SparkSession, copy: Copy) -> DataFrame:
    reader = spark.read.format("kafka").options(**copy.options).option("subscribe", copy.copied)
    return reader.load().selectExpr("CAST(value AS STRING) AS id")


def _memory_rows(spark: SparkSession, copy: Copy) -> DataFrame:
    return spark.table(copy.name) if spark.catalog.tableExists(copy.name) else spark.range(0)


READS = {
    "files": _file_rows,
    "Delta": _delta_rows,
    "Kafka": _kafka_rows,
    "memory": _memory_rows,
    "`foreachBatch`, appending": _delta_rows,
    "`foreachBatch`, idempotent": _delta_rows,
}

if __name__ == "__main__":
    from streaming_classroom import get_spark

    session = get_spark()
    for query in [start(session, Copy(**copy)) for copy in json.loads(sys.argv[1])]:
        query.awaitTermination()
