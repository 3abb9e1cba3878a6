"""How long until a learner has a first stream: the session of Delta's documentation against ours.

Session, first Delta write, count, one ``availableNow`` stream into a Delta table, each time in a fresh process,
the two alternating so that a noisy machine disturbs both alike.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import track
from rich.table import Table

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROUNDS = 5
TIMEOUT = 600  # seconds for one process; the first stock one may have to fill Ivy's cache
STAGES = ("session", "first Delta write", "count", "stream")


def main() -> None:
    """Run both sides, print a table, and as the last line the figures as JSON."""
    _run("stock")  # fills Ivy's cache, as it is on a machine that has run it before
    seconds: dict[str, list[list[float]]] = {"stock": [], "classroom": []}
    for _round in track(range(ROUNDS), "Rounds", console=Console(stderr=True), transient=True):
        for side, runs in seconds.items():
            runs.append(_run(side))
    medians = {side: [statistics.median(stage) for stage in zip(*runs, strict=True)] for side, runs in seconds.items()}
    _print_table(medians)
    stock, classroom = medians["stock"][-1], medians["classroom"][-1]
    figures = {"stock_s": round(stock, 2), "classroom_s": round(classroom, 2), "ratio": round(stock / classroom, 2)}
    print(json.dumps(figures))


def _run(side: str) -> list[float]:
    """Do the work in a fresh process; return the seconds since its start after each stage."""
    command = [sys.executable, "-m", __spec__.name, side]
    with tempfile.TemporaryDirectory() as home:
        done = subprocess.run(
            command,
            env=os.environ | {"CLASSROOM_HOME": home},
            cwd=home,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            timeout=TIMEOUT,
            check=True,
        )
    return json.loads(done.stdout.splitlines()[-1])


def _work(start_session: Callable[[], SparkSession]) -> list[float]:
    """Do the work; return the seconds after each stage."""
    begin = time.perf_counter()
    after = []
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        place = Path(scratch).as_uri()  # the same file system for both
        spark = start_session()
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


def _stock_session() -> SparkSession:
    """Start the session of Delta's quick start."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from delta import configure_spark_with_delta_pip
    from pyspark.sql import SparkSession

    builder = (
        SparkSession.builder.appName("MyApp")
        .config("spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension")
        .config("spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog")
    )
    return configure_spark_with_delta_pip(builder).getOrCreate()


def _classroom_session() -> SparkSession:
    from streaming_classroom import get_spark

    return get_spark()


def _print_table(medians: dict[str, list[float]]) -> None:
    table = Table(title=f"Seconds from start, medians of {ROUNDS}", title_justify="left")
    table.add_column("after")
    for heading in ("stock session", "classroom", "ratio"):
        table.add_column(heading, justify="right")
    for stage, stock, classroom in zip(STAGES, medians["stock"], medians["classroom"], strict=True):
        table.add_row(stage, f"{stock:.1f}", f"{classroom:.1f}", f"{stock / classroom:.1f}")
    Console().print(table)


if __name__ == "__main__":
    if len(sys.argv) == 1:
        main()
    else:
        print(json.dumps(_work({"stock": _stock_session, "classroom": _classroom_session}[sys.argv[1]])))
