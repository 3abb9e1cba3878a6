"""Check exercise 13.3, "The nightly job"."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from lesson_exercises import planted
from lesson_exercises.lesson_13.orders import SILVER_SCHEMA, order_line, plant_customers

from streaming_classroom.exercises import Attempt, HiddenTest, Makes, Mistake, NotTried, catalogue

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.exercises.sandbox import Sandbox

_DEFINED = (
    "ORDER", "REASON", "checked", "REVENUE", "insert_orders", "CUSTOMER", "CHANGE", "writer", "bronze",
    "apply_changes", "silver_customers", "split_batch", "silver_orders", "try_again", "retry", "update_report",
    "gold_revenue",
)  # fmt: skip
#: Counts how often each stream of the pipeline is started, in the cells above the job.
_COUNTED = """
_started = []


def _counted(name, start):
    def start_counted(*arguments, **options):
        _started.append(arguments[0] if arguments else options.get("name", name))
        return start(*arguments, **options)

    return start_counted


bronze, silver_customers, silver_orders, retry, gold_revenue = (
    _counted(start.__name__, start) for start in (bronze, silver_customers, silver_orders, retry, gold_revenue))
"""
_PIPELINE = ("bronze_customers", "silver_customers", "bronze_orders", "silver_orders", "retry", "gold_revenue")


def check(attempt: Attempt) -> None:
    """Follow the lines from bronze to gold, and name the stream that has not done its part.

    An earlier attempt may have brought all lines to where they belong: then the hidden test alone tells answers apart.
    """
    if (attempt.source or "").strip() == catalogue.cell("13.3", "starter").strip():
        raise NotTried
    running = [query.name for query in attempt.spark.streams.active if query.name in _PIPELINE]
    if running:
        raise Mistake(
            f"`{running[0]}` is still running. In a job, start it with `availableNow=True` and wait for its end. "
            "Running your cell again stops what runs now."
        )
    _must_be_there(attempt)
    _must_be_in_bronze(attempt)
    good = attempt.value("checked")(attempt.table("bronze_orders")).where("reason IS NULL")
    silver = attempt.table("silver_orders")
    missing = good.select("order_id").distinct().join(silver, "order_id", "left_anti").count()
    if missing:
        raise Mistake(
            f"{missing} orders of known customers are not in `silver_orders`. Run `silver_customers` before "
            "`silver_orders`, and `retry` after both, each to its end."
        )
    attempt.compare(attempt.table("gold_revenue"), _gold(silver), "gold_revenue")


def _must_be_there(attempt: Attempt) -> None:
    """Raise a mistake that names the sections to run if the pipeline's tables are missing after a restart."""
    for table in ("bronze_orders", "bronze_customers", "silver_orders", "gold_revenue"):
        if not attempt.spark.catalog.tableExists(table):
            raise Mistake(
                f"There is no table `{table}`, as after a restart of the kernel. Run sections 2 to 6, then this cell "
                "and its check once more."
            )


def _must_be_in_bronze(attempt: Attempt) -> None:
    for table, folder in (("bronze_orders", "landing"), ("bronze_customers", "landing_customers")):
        landed = attempt.spark.read.text(getattr(attempt.paths, folder)).count()
        if attempt.table(table).count() == landed:
            continue
        if attempt.cell_error is None and "awaitTermination" not in (attempt.source or ""):
            raise NotTried
        if attempt.cell_error is not None:
            raise Mistake(f"Your cell raised an error: {attempt.words_of_error}")
        raise Mistake(f"`{table}` does not have all lines that have landed. Does `run_job()` run it, and is it called?")


def _gold(silver: DataFrame) -> DataFrame:
    from pyspark.sql import functions as F

    sums = (F.count("*").alias("orders"), F.sum("revenue").cast("decimal(22, 2)").alias("revenue"))
    return silver.groupBy(F.to_date("ordered_at").alias("day"), "country").agg(*sums)


def _first_night(sandbox: Sandbox) -> None:
    """Land orders of a known customer, of one who becomes known the same night, and of one the next night."""
    sandbox.paths.landing_customers = f"{sandbox.paths.working_dir}/landing-customers"
    plant_customers(sandbox)
    sandbox.append("silver_orders", [], SILVER_SCHEMA)
    sandbox.append("quarantine", [], "reason STRING, value STRING, file_name STRING")
    sandbox.append("gold_revenue", [], "day DATE, country STRING, orders BIGINT, revenue DECIMAL(22, 2)")
    at = "2024-03-05T08:00:00Z"
    _orders(
        sandbox,
        "day-1.json",
        [
            order_line(1, at),
            order_line(2, at, customer=3),
            order_line(3, at, customer=4),
            order_line(4, at, quantity=0),
        ],
    )
    _changes(sandbox, "day-1.json", [_change(11, 3), _change(12, 2, country="IE")])


def _second_night(sandbox: Sandbox) -> None:
    """Land the customer of a waiting order, an order of hers, and one of a customer who comes later."""
    at = "2024-03-06T08:00:00Z"
    _orders(
        sandbox,
        "day-2.json",
        [
            order_line(5, at, customer=4),
            order_line(1, at),
            order_line(6, at, customer=2),
            order_line(7, at, customer=5),
        ],
    )
    _changes(sandbox, "day-2.json", [_change(13, 4)])


def _starts(sandbox: Sandbox) -> DataFrame:
    """Return how often the job has started each stream in the second night."""
    return sandbox.frame(sorted(Counter(sandbox.value("_started")).items()), "stream STRING, starts INT")


_starts.__name__ = "the starts of each stream"


def _orders(sandbox: Sandbox, name: str, lines: Sequence[str]) -> None:
    sandbox.file(name, map(json.loads, lines))


def _changes(sandbox: Sandbox, name: str, changes: list[dict[str, object]]) -> None:
    sandbox.file(name, changes, sandbox.paths.landing_customers)


def _change(sequence: int, customer: int, country: str = "SE") -> dict[str, object]:
    person = {"name": "n", "email": "e", "country": country, "city": "c", "segment": "s"}
    return {"sequence": sequence, "operation": "UPDATE", "customer_id": customer} | person


MAKES = Makes(streams=_PIPELINE)

HIDDEN = (
    HiddenTest(
        _first_night,
        ("silver_orders", "quarantine", "gold_revenue", _starts),
        later=(_second_night,),
        above=planted.definitions_of("13", *_DEFINED) + _COUNTED,
        says="Your cell was run for two nights of another shop, in which customers become known late. (`retry` "
        "moves their orders to silver, and `gold_revenue` reads silver.)",
    ),
)
