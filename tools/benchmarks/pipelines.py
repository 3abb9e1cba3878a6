"""What a declarative pipeline costs: one update against the same three steps by hand, and against Spark's own command.

Orders land as files, a batch before each update. The pipeline and the streams by hand run alternately in fresh
processes, each in a session that is there already; ``spark-pipelines run`` starts its own, so that its seconds are
those of the whole command, and it has the first update only: its catalog forgets the tables. Both others write Delta,
that one what it writes by itself.
"""

from __future__ import annotations

import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pyspark
from rich.console import Console
from rich.progress import track
from rich.table import Table

from benchmarks import _fresh_process

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

ROUNDS = 3
TIMEOUT = 600  # seconds for one process
UPDATES = ("first", "second", "third", "idle")
ROWS_A_BATCH, ROWS_AT_ONCE = 2_000, 400_000
ORDER = "order_id LONG, customer_id INT, amount DOUBLE, channel STRING"
RULES = {"a number": "order_id > 0", "an amount": "amount > 0", "a customer": "customer_id IS NOT NULL"}

WITHOUT_RULES = f'''
from pyspark import pipelines as dp
from pyspark.sql import functions as F

@dp.table
def bronze():
    return spark.readStream.schema("{ORDER}").json("LANDING")

@dp.table
def silver():
    return spark.readStream.table("bronze").withColumn("net", F.col("amount") / 1.2)

@dp.materialized_view
def gold():
    channels = spark.read.table("silver").groupBy("channel")
    return channels.agg(F.count("*").alias("orders"), F.sum("amount").alias("amount"))
'''
WITH_RULES = WITHOUT_RULES.replace("@dp.table\ndef silver", f"@dp.table\n@dp.expect_all_or_drop({RULES!r})\ndef silver")
# For Spark's own command, which gives the session to nobody.
STOCK = WITHOUT_RULES.replace(
    "from pyspark.sql import functions as F",
    "from pyspark.sql import SparkSession, functions as F\n\nspark = SparkSession.active()",
)
SPECIFICATION = """
name: stock
storage: file://STORAGE
database: default
libraries:
  - glob:
      include: transformations/**
"""


def main() -> None:
    """Run all sides, print tables, and as the last line the figures as JSON."""
    runs: dict[str, list[dict[str, float]]] = {"pipeline": [], "by hand": []}
    stock = []
    for _round in track(range(ROUNDS), "Rounds", console=Console(stderr=True), transient=True):
        for side, measured in runs.items():
            measured.append(_fresh_process.measured(__spec__.name, side, timeout=TIMEOUT))
        stock.append(_spark_pipelines())
    medians = {
        side: {name: statistics.median(run[name] for run in measured) for name in measured[0]}
        for side, measured in runs.items()
    }
    _print(medians, statistics.median(stock))
    ours, by_hand = medians["pipeline"], medians["by hand"]
    ratios = {name: round(by_hand[name] / ours[name], 2) for name in UPDATES}
    figures = {
        "pipeline_s": {name: round(ours[name], 2) for name in UPDATES},
        "by_hand_s": {name: round(by_hand[name], 2) for name in UPDATES},
        "ratios": ratios,
        "ratio": round(sum(by_hand[name] for name in UPDATES) / sum(ours[name] for name in UPDATES), 2),
        "spark_pipelines_s": round(statistics.median(stock), 1),
        "rows_a_second": {name: round(ROWS_AT_ONCE / ours[name]) for name in ("without rules", "with rules")},
    }
    print(json.dumps(figures))


def _print(medians: dict[str, dict[str, float]], stock: float) -> None:
    table = Table(title="Seconds of an update: three datasets, 2,000 orders each", title_justify="left")
    for heading in ("update", "pipeline", "by hand", "by hand / pipeline"):
        table.add_column(heading, justify="left" if heading == "update" else "right")
    for name in UPDATES:
        ours, by_hand = medians["pipeline"][name], medians["by hand"][name]
        table.add_row(name, f"{ours:.2f}", f"{by_hand:.2f}", f"{by_hand / ours:.2f}")
    console = Console()
    console.print(table)
    console.print(f"spark-pipelines run, the first update with the start of its Spark: {stock:.1f} s")
    for name in ("without rules", "with rules"):
        rate = ROWS_AT_ONCE / medians["pipeline"][name]
        console.print(f"{ROWS_AT_ONCE:,} rows through all three, {name}: {rate:,.0f} rows a second")


def land(folder: Path, number: int, rows: int) -> None:
    """Write a file of orders, one of twenty of which breaks a rule; the same number always gives the same file."""
    draw = random.Random(number)
    folder.mkdir(parents=True, exist_ok=True)
    lines = [
        json.dumps(
            {
                "order_id": number * rows + row + 1,
                "customer_id": None if draw.random() < 0.02 else draw.randrange(500),
                "amount": round(draw.gauss(60, 25), 2),
                "channel": draw.choice(("web", "app", "shop")),
            }
        )
        for row in range(rows)
    ]
    (folder / f"{number:03d}.json").write_text("\n".join(lines) + "\n")


def _work(side: str) -> dict[str, float]:
    from streaming_classroom import get_spark

    spark = get_spark()
    scratch = Path.cwd()
    update = _pipeline(spark, scratch / "some") if side == "pipeline" else _by_hand(spark, scratch / "some")
    seconds = {}
    for number, name in enumerate(UPDATES):
        if name != "idle":
            land(scratch / "some", number, ROWS_A_BATCH)
        seconds[name] = _timed(update)
    if side == "pipeline":
        land(scratch / "many", 1, ROWS_AT_ONCE)
        for name, source in (("without rules", WITHOUT_RULES), ("with rules", WITH_RULES)):
            seconds[name] = _timed(_pipeline(spark, scratch / "many", source, name.replace(" ", "_")))
    spark.stop()
    return seconds


def _timed(update: Callable[[], object]) -> float:
    begin = time.perf_counter()
    update()
    return time.perf_counter() - begin


def _pipeline(
    spark: SparkSession, landing: Path, source: str = WITH_RULES, database: str = "some"
) -> Callable[[], object]:
    from declarative_pipelines import run_pipeline

    file = Path(f"{database}.py")
    file.write_text(source.replace("LANDING", landing.as_uri()))
    landing.mkdir(exist_ok=True)
    return lambda: run_pipeline(file, database=database, spark=spark).raise_if_failed()


def _by_hand(spark: SparkSession, landing: Path) -> Callable[[], object]:
    """Return the same three steps, as lesson 13 would write them."""
    landing.mkdir(exist_ok=True)
    checkpoints = (Path.cwd() / "checkpoints").as_uri()
    good = " AND ".join(RULES.values())

    def append(frame: DataFrame, table: str) -> None:
        writer = frame.writeStream.option("checkpointLocation", f"{checkpoints}/{table}").trigger(availableNow=True)
        writer.toTable(table).awaitTermination()

    def update() -> None:
        append(spark.readStream.schema(ORDER).json(landing.as_uri()), "bronze")
        append(spark.readStream.table("bronze").where(good).selectExpr("*", "amount / 1.2 AS net"), "silver")
        gold = spark.read.table("silver").groupBy("channel").agg(*_aggregates())
        gold.write.mode("overwrite").saveAsTable("gold")

    return update


def _aggregates() -> list:
    from pyspark.sql import functions as F

    return [F.count("*").alias("orders"), F.sum("amount").alias("amount")]


def _spark_pipelines() -> float:
    """Run Spark's own command once, in a folder of its own; return its seconds."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        place = Path(folder)
        land(place / "landing", 0, ROWS_A_BATCH)
        (place / "transformations").mkdir()
        source = STOCK.replace("LANDING", (place / "landing").as_uri())
        (place / "transformations" / "orders.py").write_text(source)
        (place / "spark-pipeline.yml").write_text(SPECIFICATION.replace("STORAGE", str(place / "storage")))
        command = [str(Path(sys.executable).with_name("spark-pipelines")), "run"]
        # Its script looks for a `python3` that has PySpark.
        found = {"SPARK_HOME": str(Path(pyspark.__file__).parent), "PYSPARK_PYTHON": sys.executable}
        begin = time.perf_counter()
        done = subprocess.run(
            command, env=os.environ | found, cwd=folder, capture_output=True, text=True, timeout=TIMEOUT
        )
        if done.returncode != 0:
            raise RuntimeError(f"spark-pipelines failed: {(done.stdout + done.stderr)[-2000:]}")
        return time.perf_counter() - begin


if __name__ == "__main__":
    if len(sys.argv) == 1:
        main()
    else:
        print(json.dumps(_work(sys.argv[1])))
