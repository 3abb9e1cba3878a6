"""Pipelines in long sessions: an idle update against the steps by hand, a dry run, and memory over many updates.

Both sides of the idle update take turns in one process, so that a busy machine is busy for both.
"""

from __future__ import annotations

import gc
import json
import os
import statistics
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks import _fresh_process, pipelines

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TIMEOUT = 3000  # seconds for each process
IDLE_ROUNDS = 15
DRY_RUNS = 7
UPDATES = 200
SAMPLES = 5
CHAIN = 20
_TABLE = """
@dp.table
def step_{number}():
    return spark.readStream.table("{before}").withColumn("n_{number}", F.col("order_id") + {number})
"""


def main() -> None:
    """Run each part in a fresh process, print what it says, and as the last line the figures as JSON."""
    figures: dict[str, object] = {}
    for part in PARTS:
        measured = _fresh_process.measured(__spec__.name, part, timeout=TIMEOUT)
        for name, value in measured.items():
            print(f"{name}: {value}", flush=True)
        figures |= measured
    print(json.dumps(figures))


def _work(part: str) -> dict[str, object]:
    from streaming_classroom import get_spark

    spark = get_spark()
    figures = PARTS[part](spark)
    spark.stop()
    return figures


def _idle(spark: SparkSession) -> dict[str, object]:
    """Time updates that find nothing new, in turns with the same steps by hand."""
    scratch = Path.cwd()
    sides = {
        "pipeline": pipelines._pipeline(spark, scratch / "idle"),
        "by hand": _in_database(spark, "by_hand", pipelines._by_hand(spark, scratch / "hand")),
    }
    for number in range(2):
        for folder in ("idle", "hand"):
            pipelines.land(scratch / folder, number, pipelines.ROWS_A_BATCH)
        for update in sides.values():
            update()
    seconds: dict[str, list[float]] = {side: [] for side in sides}
    for _ in range(IDLE_ROUNDS):
        for side, update in sides.items():
            seconds[side].append(pipelines._timed(update))
    ours, by_hand = (statistics.median(one) for one in seconds.values())
    ratios = [one / other for one, other in zip(seconds["pipeline"], seconds["by hand"], strict=True)]
    return {
        "idle_pipeline_s": round(ours, 2), "idle_by_hand_s": round(by_hand, 2),
        "idle_ratio": round(ours / by_hand, 2), "idle_median_of_ratios": round(statistics.median(ratios), 2),
    }  # fmt: skip


def _in_database(spark: SparkSession, database: str, update: Callable[[], object]) -> Callable[[], object]:
    spark.sql(f"CREATE SCHEMA {database}")

    def run() -> None:
        spark.catalog.setCurrentDatabase(database)
        try:
            update()
        finally:
            spark.catalog.setCurrentDatabase("default")

    return run


def _dry_run(spark: SparkSession) -> dict[str, object]:
    from declarative_pipelines import run_pipeline

    spark.range(10).withColumnRenamed("id", "order_id").write.saveAsTable("chain_source")
    names = ["chain_source", *(f"step_{number}" for number in range(CHAIN))]
    steps = (_TABLE.format(number=number, before=names[number]) for number in range(CHAIN))
    file = Path("chain.py")
    file.write_text("from pyspark import pipelines as dp\nfrom pyspark.sql import functions as F\n" + "".join(steps))
    seconds = [
        pipelines._timed(lambda: run_pipeline(file, dry_run=True, spark=spark).raise_if_failed())
        for _ in range(DRY_RUNS)
    ]
    return {"dry_run_first_s": round(seconds[0], 2), "dry_run_s": round(statistics.median(seconds[1:]), 2)}


def _many_updates(spark: SparkSession) -> dict[str, object]:
    """Run many updates, of which every tenth has new rows; return memory and threads after parts of them."""
    landing = Path.cwd() / "many"
    update = pipelines._pipeline(spark, landing, database="many")
    found = []
    for number in range(UPDATES):
        if number % 10 == 0:
            pipelines.land(landing, number, 200)
        update()
        if (number + 1) % (UPDATES // SAMPLES) == 0:
            found.append({"updates": number + 1, **_memory(spark)})
            print(found[-1], file=sys.stderr, flush=True)
    return {"memory": found}


def _memory(spark: SparkSession) -> dict[str, int]:
    gc.collect()
    factory = spark._jvm.java.lang.management.ManagementFactory
    for _ in range(3):
        spark._jvm.System.gc()
        time.sleep(0.3)
    return {
        "python_mb": _resident(os.getpid()),
        "heap_mb": factory.getMemoryMXBean().getHeapMemoryUsage().getUsed() // 2**20,
        "python_threads": threading.active_count(),
        "jvm_threads": factory.getThreadMXBean().getThreadCount(),
    }


def _resident(process: int) -> int:
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) // 1024


PARTS = {"idle": _idle, "dry run": _dry_run, "many updates": _many_updates}

if __name__ == "__main__":
    if len(sys.argv) == 1:
        main()
    else:
        print(json.dumps(_work(sys.argv[1])))
