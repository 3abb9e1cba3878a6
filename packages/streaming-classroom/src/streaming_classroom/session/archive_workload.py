"""The workload that fills the class-data archive: the operations with which lessons begin.

Run as a program, with the path of the archive to write.  It needs to load the classes, not to be quick.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from streaming_classroom.session import spark_session
from streaming_classroom.setup import archive


def main(target: Path) -> None:
    """Start a session that writes the archive at its end, and use it as a lesson would."""
    spark = spark_session.classic_session(archive.dump_options(target))
    with tempfile.TemporaryDirectory() as scratch:
        place = Path(scratch).as_uri()  # without a scheme it would be a place in the classroom's home
        _delta(spark, f"{place}/table")
        _files(spark, Path(scratch))
        _streams(spark, place)
        _sql(spark)
    jvm = spark.sparkContext._gateway.proc
    spark.stop()
    # The JVM writes the archive when it ends, which it does when its standard input closes.
    jvm.stdin.close()
    jvm.wait(archive.TIMEOUT)


def _delta(spark, path: str) -> None:
    spark.range(1000).selectExpr("id", "id % 10 AS device").write.save(path)
    spark.range(10).selectExpr("id", "id AS device").write.mode("append").save(path)
    spark.read.load(path).groupBy("device").count().orderBy("device").collect()


def _files(spark, scratch: Path) -> None:
    (scratch / "json").mkdir()
    (scratch / "json" / "a.json").write_text('{"a": 1, "t": "2025-06-01T00:00:00Z"}\n', encoding="utf-8")
    frame = spark.read.schema("a INT, t TIMESTAMP").json((scratch / "json").as_uri())
    frame.write.parquet((scratch / "parquet").as_uri())
    spark.read.parquet((scratch / "parquet").as_uri()).toPandas()


def _streams(spark, scratch: str) -> None:
    table = spark.readStream.load(f"{scratch}/table")
    files = spark.readStream.schema("a INT, t TIMESTAMP").option("maxFilesPerTrigger", 1).json(f"{scratch}/json")
    into_delta = table.writeStream.option("checkpointLocation", f"{scratch}/c1").trigger(availableNow=True)
    into_parquet = files.writeStream.format("parquet").option("checkpointLocation", f"{scratch}/c2")
    memory = table.groupBy("device").count().writeStream.format("memory").queryName("m").outputMode("complete")
    for query in (into_delta.start(f"{scratch}/o1"), into_parquet.start(f"{scratch}/o2"), memory.start()):
        query.processAllAvailable()
        query.recentProgress  # noqa: B018 - a property that loads classes
        query.stop()
    spark.table("m").collect()


def _sql(spark) -> None:
    spark.sql("CREATE SCHEMA IF NOT EXISTS archive_workload")
    spark.sql("CREATE OR REPLACE TABLE archive_workload.t (id INT, name STRING)")
    spark.sql("INSERT INTO archive_workload.t VALUES (1, 'a'), (2, NULL)")
    spark.sql("SELECT name, count(*) AS n FROM archive_workload.t GROUP BY name ORDER BY n").collect()
    spark.sql("DROP SCHEMA archive_workload CASCADE")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
