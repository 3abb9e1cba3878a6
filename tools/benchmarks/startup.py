"""The time to a learner's first stream: the session of Delta's documentation against the course's.

Session, first Delta write, count, one ``availableNow`` stream into a Delta table.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks._measuring import measure, medians_in_turn, print_table

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROUNDS = 5
STAGES = ("session", "first Delta write", "count", "stream")


def main() -> None:
    """Measure both sides, print a table, and as the last line the figures as JSON."""
    measure(__spec__.name, "stock")  # fills Ivy's cache, as on a machine that has run it before
    medians = medians_in_turn(__spec__.name, {"stock": ["stock"], "classroom": ["classroom"]}, ROUNDS)
    stages = zip(STAGES, medians["stock"], medians["classroom"], strict=True)
    rows = [(stage, f"{stock:.1f}", f"{ours:.1f}", f"{stock / ours:.1f}") for stage, stock, ours in stages]
    print_table(f"Seconds from start, medians of {ROUNDS}", ("after", "stock session", "classroom", "ratio"), rows)
    stock, ours = medians["stock"][-1], medians["classroom"][-1]
    print(json.dumps({"stock_s": round(stock, 2), "classroom_s": round(ours, 2), "ratio": round(stock / ours, 2)}))


def work(side: str) -> list[float]:
    """Do the work; return the seconds since the start after each stage."""
    begin = time.perf_counter()
    after = []
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        place = Path(scratch).as_uri()  # the same file system for both
        spark = start_session(side)
        after.append(time.perf_counter() - begin)
        spark.range(1000).selectExpr("id", "id % 10 AS key").write.format("delta").save(f"{place}/in")
        after.append(time.perf_counter() - begin)
        assert spark.read.format("delta").load(f"{place}/in").count() == 1000
        after.append(time.perf_counter() - begin)
        stream = spark.readStream.format("delta").load(f"{place}/in").writeStream.format("delta")
        stream = stream.option("checkpointLocation", f"{place}/checkpoint").trigger(availableNow=True)
        stream.start(f"{place}/out").awaitTermination()
        after.append(time.perf_counter() - begin)
        assert spark.read.format("delta").load(f"{place}/out").count() == 1000
        spark.stop()
    return after


def start_session(side: str) -> SparkSession:
    """Start the course's session, or that of Delta's quick start."""
    if side == "classroom":
        from streaming_classroom import get_spark

        return get_spark()
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from delta import configure_spark_with_delta_pip
    from pyspark.sql import SparkSession

    builder = (
        SparkSession.builder.appName("MyApp")
        .config("spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension")
        .config("spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog")
    )
    return configure_spark_with_delta_pip(builder).getOrCreate()


if __name__ == "__main__":
    if len(sys.argv) == 1:
        main()
    else:
        print(json.dumps(work(sys.argv[1])))
