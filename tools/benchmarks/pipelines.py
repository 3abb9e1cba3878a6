"""The cost of a declarative pipeline: one update against the same three steps by hand, and Spark's own command.

Orders land as files, a batch before each update. The pipeline and the streams by hand run alternately in fresh
processes, each in a session that is there already; ``spark-pipelines run`` starts its own, so that its seconds are
those of the whole command, and it has the first update only: its catalog forgets the tables. Both others write Delta,
that one what it writes by itself.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pyspark

from benchmarks._measuring import medians_in_turn, print_table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

ROUNDS = 3
TIMEOUT = 600  # seconds for one process
UPDATES = ("first", "second", "third", "idle")
ROWS_PER_BATCH, ROWS_AT_ONCE = 2_000, 400_000
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
SOURCES = {"without rules": WITHOUT_RULES, "with rules": WITH_RULES}
# For Spark's own command, which passes no session.
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
    medians = medians_in_turn(__spec__.name, {side: [side] for side in ("pipeline", "by hand", "stock")}, ROUNDS)
    ours, by_hand, [stock] = medians["pipeline"], medians["by hand"], medians["stock"]
    ratios = {name: round(hand / our, 2) for name, our, hand in zip(UPDATES, ours, by_hand, strict=False)}
    rows = [
        (name, f"{our:.2f}", f"{hand:.2f}", f"{ratios[name]:.2f}")
        for name, our, hand in zip(UPDATES, ours, by_hand, strict=False)
    ]
    title = "Seconds of an update: three datasets, 2,000 orders each"
    print_table(title, ("update", "pipeline", "by hand", "by hand / pipeline"), rows)
    print(f"spark-pipelines run, the first update with the start of its Spark: {stock:.1f} s")
    rates = {name: round(ROWS_AT_ONCE / seconds) for name, seconds in zip(SOURCES, ours[len(UPDATES) :], strict=True)}
    for name, rate in rates.items():
        print(f"{ROWS_AT_ONCE:,} rows through all three, {name}: {rate:,} rows per second")
    ratio = round(sum(by_hand) / sum(ours[: len(UPDATES)]), 2)
    print(
        json.dumps({"ratios": ratios, "ratio": ratio, "spark_pipelines_s": round(stock, 1), "rows_per_second": rates})
    )


def land(folder: Path, number: int, rows: int) -> None:
    """Write a file of orders, one of twenty of which violates a rule; the same number always gives the same file."""
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


def work(side: str) -> list[float]:
    """Return the seconds of each update; of the pipeline also those of many rows, without and with rules."""
    if side == "stock":
        return [spark_pipelines()]
    from streaming_classroom import get_spark

    spark = get_spark()
    scratch = Path.cwd()
    update = (pipeline if side == "pipeline" else by_hand)(spark, scratch / "some")
    seconds = []
    for number, name in enumerate(UPDATES):
        if name != "idle":
            land(scratch / "some", number, ROWS_PER_BATCH)
        seconds.append(timed(update))
    if side == "pipeline":
        land(scratch / "many", 1, ROWS_AT_ONCE)
        for name, source in SOURCES.items():
            seconds.append(timed(pipeline(spark, scratch / "many", source, name.replace(" ", "_"))))
    spark.stop()
    return seconds


def timed(update: Callable[[], object]) -> float:
    """Return the seconds of an update."""
    begin = time.perf_counter()
    update()
    return time.perf_counter() - begin


def pipeline(
    spark: SparkSession, landing: Path, source: str = WITH_RULES, database: str = "some"
) -> Callable[[], object]:
    """Return an update of the pipeline."""
    from declarative_pipelines import run_pipeline

    file = Path(f"{database}.py")
    file.write_text(source.replace("LANDING", landing.as_uri()))
    landing.mkdir(exist_ok=True)
    return lambda: run_pipeline(file, database=database, spark=spark).raise_if_failed()


def by_hand(spark: SparkSession, landing: Path) -> Callable[[], object]:
    """Return an update of the same three steps, as lesson 13 writes them."""
    from pyspark.sql import functions as F

    landing.mkdir(exist_ok=True)
    checkpoints = (Path.cwd() / "checkpoints").as_uri()
    good = " AND ".join(RULES.values())

    def append(frame: DataFrame, table: str) -> None:
        writer = frame.writeStream.option("checkpointLocation", f"{checkpoints}/{table}").trigger(availableNow=True)
        writer.toTable(table).awaitTermination()

    def update() -> None:
        append(spark.readStream.schema(ORDER).json(landing.as_uri()), "bronze")
        append(spark.readStream.table("bronze").where(good).selectExpr("*", "amount / 1.2 AS net"), "silver")
        gold = spark.read.table("silver").groupBy("channel")
        gold = gold.agg(F.count("*").alias("orders"), F.sum("amount").alias("amount"))
        gold.write.mode("overwrite").saveAsTable("gold")

    return update


def spark_pipelines() -> float:
    """Run Spark's own command once, in a folder of its own; return its seconds."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        place = Path(folder)
        land(place / "landing", 0, ROWS_PER_BATCH)
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
        print(json.dumps(work(sys.argv[1])))
