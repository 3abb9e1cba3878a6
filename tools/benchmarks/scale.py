"""Where the cost bends: files to bronze, silver and gold at 1, 10 and 100 times the data, on one worker and on two.

Each run is a driver of its own on a standalone cluster of this machine, with an ordinary JVM, and has files of its own;
the runs with one worker and with two take turns.  A run ends with a day later: one file more comes to those that are
known.  What Spark says of each batch splits the seconds: of what is done for a batch whatever is in it, of what is done
for its rows, and of what is done for its files.
"""

from __future__ import annotations

import itertools
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table

from benchmarks import _fresh_process
from benchmarks._files_to_ingest import SCHEMA, one_record, small_files
from standalone_cluster import running_cluster

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, DataFrameWriter, SparkSession
    from pyspark.sql.streaming import StreamingQuery

FILES, ROWS_A_FILE = 100, 50
TIMES = (1, 10, 100)
WORKERS = (1, 2)
ROUNDS = int(os.environ.get("CLASSROOM_BENCH_ROUNDS", "2"))
FILES_A_BATCH = 1000
TIMEOUT = 1800.0  # seconds for one run
STEPS = ("bronze", "silver", "gold", "a file more")
_WORK, _FILES = "addBatch", "latestOffset"  # of a batch: its rows, and its files


@dataclass(frozen=True)
class Measured:
    """The seconds of a step, and of those the ones that its batches' rows and the look for new files have taken."""

    seconds: float
    rows: float = 0.0
    files: float = 0.0
    batches: int = 0


def main() -> None:
    """Run all, print the tables, and as the last line the figures as JSON."""
    found: dict[tuple[int, int], list[dict[str, dict[str, float]]]] = {}
    for _round in range(ROUNDS):
        for times in TIMES:
            for workers in WORKERS:
                found.setdefault((workers, times), []).append(_run(workers, times))
    medians = {case: {step: _median([run[step] for run in runs]) for step in STEPS} for case, runs in found.items()}
    _print(medians)
    print(json.dumps(_figures(medians)))


def _run(workers: int, times: int) -> dict[str, dict[str, float]]:
    """Run the steps in a fresh driver on a cluster of its own."""
    with tempfile.TemporaryDirectory(prefix="bench-scale-", ignore_cleanup_errors=True) as folder:
        small_files(Path(folder, "landed"), FILES * times, ROWS_A_FILE)
        with running_cluster(Path(folder), workers) as cluster:
            measured = _fresh_process.measured(__spec__.name, cluster.master, folder, str(times), timeout=TIMEOUT)
    print(f"{workers} workers, {times} times: {measured}", file=sys.stderr, flush=True)
    return measured


def _work(master: str, folder: Path, times: int) -> dict[str, Any]:
    """Run the steps in this process; called in a fresh one."""
    os.environ["SPARK_MASTER"] = master
    from streaming_classroom.session.spark_session import classic_session

    spark = classic_session(java_options="")
    try:
        small_files(folder / "warm", FILES, ROWS_A_FILE)
        _once(spark, folder / "warm", FILES)  # classes, the workers' processes, the first compilation
        steps = _once(spark, folder / "landed", FILES * times)
    finally:
        spark.stop()
    return {name: vars(step) for name, step in steps.items()}


def _once(spark: SparkSession, landed: Path, files: int) -> dict[str, Measured]:
    """Bring the landed files through the layers; then one file more through the first of them."""
    tables = {layer: f"{landed.name}_{layer}" for layer in ("bronze", "silver", "gold")}
    place = landed.with_name(f"{landed.name}-checkpoints")

    def bronze() -> StreamingQuery:
        reader = spark.readStream.format("cloudFiles").option("cloudFiles.format", "json").schema(SCHEMA)
        reader = reader.option("cloudFiles.maxFilesPerTrigger", FILES_A_BATCH)
        return _to_table(reader.load(str(landed)), tables["bronze"], place / "bronze")

    def silver() -> StreamingQuery:
        rows = spark.readStream.table(tables["bronze"]).where("temperature IS NOT NULL")
        rows = rows.selectExpr("id", "device", "to_timestamp(recorded, \"yyyy-MM-dd 'at' HH\") AS at", "temperature")
        return _to_table(rows, tables["silver"], place / "silver")

    measured = {"bronze": _stream(bronze), "silver": _stream(silver)}
    measured["gold"] = _batch(lambda: _means(spark, tables["silver"]).mode("overwrite").saveAsTable(tables["gold"]))
    rows = spark.table(tables["silver"]).count()
    assert rows == files * ROWS_A_FILE, f"{rows} rows of {files * ROWS_A_FILE}"
    one_record(landed / "one-more.json")
    return measured | {"a file more": _stream(bronze)}


def _to_table(rows: DataFrame, table: str, checkpoint: Path) -> StreamingQuery:
    writer = rows.writeStream.option("checkpointLocation", checkpoint.as_uri()).trigger(availableNow=True)
    return writer.toTable(table)


def _means(spark: SparkSession, table: str) -> DataFrameWriter:
    means = spark.table(table).groupBy("device").agg({"temperature": "avg", "*": "count"})
    return means.toDF("device", "mean", "n").write


def _stream(start: Callable[[], StreamingQuery]) -> Measured:
    begin = time.perf_counter()
    query = start()
    query.awaitTermination()
    seconds = time.perf_counter() - begin
    reports = query.recentProgress
    of = {phase: sum(report["durationMs"].get(phase, 0) for report in reports) / 1000 for phase in (_WORK, _FILES)}
    return Measured(seconds, of[_WORK], of[_FILES], sum(report["numInputRows"] > 0 for report in reports))


def _batch(run: Callable[[], None]) -> Measured:
    begin = time.perf_counter()
    run()
    return Measured(time.perf_counter() - begin)


def _median(runs: list[dict[str, float]]) -> dict[str, float]:
    return {name: round(statistics.median(run[name] for run in runs), 2) for name in runs[0]}


Medians = Mapping[tuple[int, int], Mapping[str, Mapping[str, float]]]


def _print(medians: Medians) -> None:
    console = Console(width=120)
    table = Table(title=f"{FILES} files of {ROWS_A_FILE} rows, times 1, 10 and 100: seconds", title_justify="left")
    table.add_column("step")
    table.add_column("workers", justify="right")
    for times in TIMES:
        table.add_column(f"x {times}", justify="right")
    for name in ("of its rows", "of its files", "a second worker, times as fast"):
        table.add_column(f"x {TIMES[-1]}: {name}", justify="right")
    for step in STEPS:
        for workers in WORKERS:
            row = [medians[workers, times][step] for times in TIMES]
            faster = medians[1, TIMES[-1]][step]["seconds"] / row[-1]["seconds"]
            said = [f"{row[-1][name]:.1f}" if row[-1]["batches"] else "" for name in ("rows", "files")]
            table.add_row(step, str(workers), *(f"{one['seconds']:.1f}" for one in row), *said, f"{faster:.2f}")
    console.print(table)


def _figures(medians: Medians) -> dict[str, Any]:
    """Return the seconds of each case, and what ten times the data cost, in times."""
    found: dict[str, Any] = {}
    for (workers, times), steps in medians.items():
        for step, measured in steps.items():
            found[f"{step}, {workers} workers, x{times}"] = measured
    for workers in WORKERS:
        for less, more in itertools.pairwise(TIMES):
            whole = [sum(medians[workers, times][step]["seconds"] for step in STEPS[:3]) for times in (less, more)]
            found[f"x{less} to x{more}, {workers} workers, ratio"] = round(whole[1] / whole[0], 2)
    return found


if __name__ == "__main__":
    if len(sys.argv) == 1:
        main()
    else:
        print(json.dumps(_work(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]))))
