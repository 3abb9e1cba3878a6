"""Exercises of lesson 15: keep what an expectation drops, choose a kind of table, protect one from a full refresh."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from streaming_classroom.exercises import Attempt, Exercise, HiddenTest, Makes, Mistake, WrongAnswer
from streaming_classroom.files.directories import classroom_files

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.hidden_tests import Sandbox


def _must_have_completed(attempt: Attempt) -> None:
    """Say why the update failed, where it has."""
    error = getattr(attempt.value("update"), "error", None)
    if error is not None:
        raise Mistake(f"The update has failed: {str(error).splitlines()[0]}")


# ----------------------------------------------------------------------------------------- 15.1 what was dropped

QUARANTINE_STARTER = """
DA.exercise("15.1")  # removes what an earlier attempt created

# your definition of quarantine, from the view orders


update = None  # then run_pipeline()
"""

QUARANTINE_SOLUTION = """
DA.exercise("15.1")  # removes what an earlier attempt created

every_rule = " AND ".join(RULES.values())


@dp.table
@dp.expect_or_drop("breaks a rule", f"({every_rule}) IS NOT TRUE")
def quarantine():
    return spark.readStream.table("orders")


update = run_pipeline()
"""


_ORDER = """order_id LONG, customer_id INT, ordered_at TIMESTAMP,
    items ARRAY<STRUCT<sku: STRING, quantity: INT, price: DECIMAL(10, 2)>>"""
_RULES = (
    "order_id IS NOT NULL",
    "try_to_timestamp(ordered_at) IS NOT NULL",
    "customer_id IS NOT NULL",
    "country IS NOT NULL",
    "size(items) > 0 AND forall(items, item -> item.price IS NOT NULL)",
    "forall(items, item -> item.quantity > 0)",
)


def check_quarantine(attempt: Attempt) -> None:
    """Compare with bronze; first with the rows that each of the usual mistakes leaves out or lets in."""
    _must_have_completed(attempt)
    made = attempt.table("quarantine")
    missing = {"value", "file_name"} - set(made.columns)
    if missing:
        raise Mistake(
            f"`quarantine` has no column `{missing.pop()}`. Return all columns: the expectation checks the function's "
            "result."
        )
    made = made.select("value", "file_name")
    lines = _lines(attempt)
    every = " AND ".join(_RULES)
    for condition, mistake in (
        (every, "These are the rows that the rules let through. Invert the condition."),
        (
            "true",
            "Every order is there. `expect` counts a violation and keeps the row; use `expect_or_drop` to drop it.",
        ),
        (
            " AND ".join(f"({rule}) IS NOT TRUE" for rule in _RULES),
            "Only rows that violate every rule are there. One violation is enough: negate the whole condition.",
        ),
    ):
        if attempt.is_same(made, lines.where(condition).select("value", "file_name")):
            raise Mistake(mistake)
    attempt.compare(made, lines.where(f"({every}) IS NOT TRUE").select("value", "file_name"), "quarantine")


def _lines(attempt: Attempt) -> DataFrame:
    schema = _ORDER.replace("TIMESTAMP", "STRING")
    lines = attempt.spark.table("bronze_orders").selectExpr("*", f"from_json(value, '{schema}') AS line")
    customers = attempt.spark.table("customers").selectExpr("customer_id", "coalesce(country, 'none') AS country")
    return lines.select("value", "file_name", "line.*").join(customers, "customer_id", "left")


_ABOVE_ORDERS = """
from pyspark import pipelines as dp
from pyspark.sql import functions as F


@dp.temporary_view
def orders():
    lines = spark.readStream.table("bronze_orders")
    return lines.withColumn("order", F.from_json("value", ORDER)).select("value", "file_name", "order.*")
"""
_PLANTED_RULES = {
    "readable": "order_id IS NOT NULL",
    "in 2025": "year(ordered_at) = 2025",
    "positive quantities": "forall(items, item -> item.quantity > 0)",
}


def _orders(sandbox: Sandbox) -> None:
    """Make orders that break each rule alone, two of them, and rules that are NULL."""
    whole = {
        "order_id": 1,
        "customer_id": 2,
        "ordered_at": "2025-06-01 10:00:00",
        "items": [{"sku": "a", "quantity": 1}],
    }
    changes = (
        {}, {"order_id": None}, {"ordered_at": "2024-12-31 23:59:59"}, {"ordered_at": "2025-12-31 23:59:59"},
        {"ordered_at": "2026-01-01 00:00:00"}, {"ordered_at": None}, {"items": [{"sku": "a", "quantity": 0}]},
        {"items": [{"sku": "a", "quantity": 1}, {"sku": "b", "quantity": -1}]}, {"items": []}, {"items": None},
        {"items": [{"sku": "a", "quantity": None}]}, {"order_id": None, "ordered_at": None, "items": None},
        {"customer_id": None}, {"order_id": 0},
    )  # fmt: skip
    values = [json.dumps(whole | change) for change in changes] + ["{cut off", ""]
    rows = [(value, f"part-{number}.json") for number, value in enumerate(values)]
    sandbox.append("bronze_orders", rows, "value STRING, file_name STRING")
    sandbox.keep(RULES=_PLANTED_RULES, ORDER=_ORDER)


def _one_more_order(sandbox: Sandbox) -> None:
    """Append an order without an id, which the second update must add to what is there."""
    sandbox.append("bronze_orders", [('{"order_id": null}', "later.json")], "value STRING, file_name STRING")


def _refused_lines(sandbox: Sandbox) -> DataFrame:
    return sandbox.rows("quarantine").select("value", "file_name")


_refused_lines.__name__ = "quarantine"  # as a verdict calls it


QUARANTINE = Exercise(
    id="15.1",
    title="What was dropped",
    starter=QUARANTINE_STARTER,
    hints=(
        "Define a table like silver, with a different expectation: one that drops the *good* rows.",
        'Combine all rules in one condition: `every_rule = " AND ".join(RULES.values())`. A good row meets it.',
        'What if the condition is NULL? `@dp.expect_or_drop("breaks a rule", f"({every_rule}) IS NOT TRUE")`',
    ),
    solution=QUARANTINE_SOLUTION,
    why=(
        "A condition and its opposite divide the rows into two sets without loss if the opposite is `IS NOT TRUE`. "
        "With `NOT`, an order for which a rule is NULL, such as one with an unknown quantity, could be in neither "
        "table: NOT NULL is NULL. Both tables read one view and the same `RULES`, so a changed rule applies to both."
    ),
    check=check_quarantine,
    hidden=(
        HiddenTest(
            _orders,
            (_refused_lines,),
            later=(_one_more_order,),
            above=_ABOVE_ORDERS,
            says="Your cell was run on other orders, which break each rule alone, two of them, or none. Where a rule "
            "is NULL, NOT of it is NULL, too.",
        ),
    ),
    wrong=(
        WrongAnswer(QUARANTINE_SOLUTION.replace(" IS NOT TRUE", ""), "let through"),
        WrongAnswer(QUARANTINE_SOLUTION.replace("expect_or_drop", "expect"), "Every order is there"),
        WrongAnswer(QUARANTINE_SOLUTION.replace("({every_rule}) IS NOT TRUE", "NOT ({every_rule})"), "is NULL"),
        WrongAnswer(
            QUARANTINE_SOLUTION.replace(
                'expect_or_drop("breaks a rule", f"({every_rule}) IS NOT TRUE")',
                'expect_all_or_drop({name: f"({rule}) IS NOT TRUE" for name, rule in RULES.items()})',
            ),
            "violate every rule",
        ),
        WrongAnswer(
            QUARANTINE_SOLUTION.replace('table("orders")', 'table("orders").drop("value", "file_name")'),
            "has no column",
        ),
        WrongAnswer(QUARANTINE_SOLUTION.replace('table("orders")', 'table("order")'), "The update has failed"),
    ),
    makes=Makes(variables=("update",), tables=("quarantine",)),
)

# ------------------------------------------------------------------------------------------- 15.2 which kind of table

KINDS_STARTER = """
DA.exercise("15.2")  # removes what an earlier attempt created

# your definitions of delivered_to and customers_by_city, from silver_orders and customers


update = None  # then run_pipeline()
"""

KINDS_SOLUTION = """
DA.exercise("15.2")  # removes what an earlier attempt created


@dp.table
def delivered_to():
    customers = spark.read.table("customers").select("customer_id", "city")
    return spark.readStream.table("silver_orders").join(customers, "customer_id", "left").select("order_id", "city")


@dp.materialized_view
def customers_by_city():
    return spark.read.table("customers").where("city IS NOT NULL").groupBy("city").agg(F.count("*").alias("customers"))


update = run_pipeline()
"""


def check_kinds(attempt: Attempt) -> None:
    """Look at the kinds first, which the rows show only when a customer moves."""
    _must_have_completed(attempt)
    delivered, by_city = attempt.table("delivered_to"), attempt.table("customers_by_city")
    kinds = {dataset.name: dataset.kind.name for dataset in attempt.value("update").datasets}
    if kinds.get("delivered_to") == "MATERIALIZED_VIEW":
        raise Mistake(
            "`delivered_to` is a materialized view: each update computes it from today's cities, and an order moves "
            "with its customer. Read silver as a stream, and the row of an order is written once."
        )
    customers = attempt.spark.table("customers")
    if by_city.where("city IS NULL").count():
        raise Mistake("`customers_by_city` counts customers without a city: they have left. Leave them out.")
    attempt.compare(by_city, customers.where("city IS NOT NULL").groupBy("city").count().toDF("city", "customers"),
                    "customers_by_city")  # fmt: skip
    cities = customers.select("customer_id", "city")
    right = attempt.spark.table("silver_orders").join(cities, "customer_id", "left").select("order_id", "city")
    attempt.compare(delivered, right, "delivered_to")


_IMPORTS = """
from pyspark import pipelines as dp
from pyspark.sql import functions as F
"""
_CUSTOMER, _SILVER = "customer_id INT, city STRING", "order_id LONG, customer_id INT"


def _customers(sandbox: Sandbox) -> None:
    """Plant customers who share a city, have another one, or none, and orders of three of them."""
    sandbox.append("customers", [(1, "A"), (2, "A"), (3, "B"), (4, None)], _CUSTOMER)
    sandbox.append("silver_orders", [(10, 1), (11, 1), (12, 3), (13, 4)], _SILVER)


def _somebody_moves(sandbox: Sandbox) -> None:
    """Move a customer to another city; add a customer, orders of both, and one of an unknown customer."""
    sandbox.spark.sql("UPDATE customers SET city = 'C' WHERE customer_id = 1")
    sandbox.append("customers", [(5, "A")], _CUSTOMER)
    sandbox.append("silver_orders", [(14, 1), (15, 5), (16, 77)], _SILVER)  # nobody has heard of customer 77


KINDS = Exercise(
    id="15.2",
    title="Which kind of table",
    starter=KINDS_STARTER,
    hints=(
        "Ask of each table: when a customer moves tomorrow, must a row that is already there change?",
        "A row that must not change is written once: a streaming table. `customers` can be looked up in it as it is "
        "now, if it is read with `spark.read`.",
        "Rows of `customers` are changed by a flow, so no stream can read it. Counts over it are computed anew.",
    ),
    solution=KINDS_SOLUTION,
    why=(
        "A streaming table writes a row when it reads the order, with the city of that moment, and never revisits it. "
        "A materialized view equals its query at each update, so it follows the customers. The first answers what was "
        "true then, the second what is true now. A full refresh of the first would lose that: it would look up today's "
        "cities for all orders."
    ),
    check=check_kinds,
    hidden=(
        HiddenTest(
            _customers,
            ("delivered_to", "customers_by_city"),
            later=(_somebody_moves,),
            above=_IMPORTS,
            says="Your cell was run on other tables, and again after a customer has moved and a stranger has ordered.",
        ),
    ),
    wrong=(
        WrongAnswer(
            KINDS_SOLUTION.replace("@dp.table", "@dp.materialized_view").replace("readStream", "read"),
            "is a materialized view",
        ),
        WrongAnswer(
            KINDS_SOLUTION.replace("@dp.materialized_view", "@dp.table").replace(
                'spark.read.table("customers").where', 'spark.readStream.table("customers").where'
            ),
            "The update has failed",
        ),
        WrongAnswer(KINDS_SOLUTION.replace('.where("city IS NOT NULL")', ""), "without a city"),
        WrongAnswer(KINDS_SOLUTION.replace('select("order_id", "city")', 'select("order_id", "country")'), "city"),
        WrongAnswer(
            KINDS_SOLUTION.replace(
                '.where("city IS NOT NULL").groupBy("city").agg(F.count("*")',
                '.groupBy("city").agg(F.count_distinct("customer_id")',
            ),
            "without a city",
        ),
    ),
    makes=Makes(variables=("update",), tables=("delivered_to", "customers_by_city")),
)

# ---------------------------------------------------------------------------------- 15.3 a refresh that loses nothing

ARCHIVE_STARTER = """
DA.exercise("15.3")  # removes what an earlier attempt created

# your definitions of archive and archive_channels


update = None  # then run_pipeline(full_refresh_all=True)
"""

ARCHIVE_SOLUTION = """
DA.exercise("15.3")  # removes what an earlier attempt created


@dp.table(table_properties={"pipelines.reset.allowed": "false"})
def archive():
    return spark.readStream.text(f"{DA.paths.landing}/orders").select("value", "_metadata.file_name")


@dp.materialized_view
def archive_channels():
    channel = F.get_json_object("value", "$.channel").alias("channel")
    return spark.read.table("archive").groupBy(channel).agg(F.count("*").alias("lines"))


update = run_pipeline(full_refresh_all=True)
"""
_RESET = "pipelines.reset.allowed"


def check_archive(attempt: Attempt) -> None:
    """Look at what protects the archive, then compare with the landing directory."""
    _must_have_completed(attempt)
    made, channels = attempt.table("archive"), attempt.table("archive_channels")
    kinds = {dataset.name: dataset.kind.name for dataset in attempt.value("update").datasets}
    if kinds.get("archive") == "MATERIALIZED_VIEW":
        raise Mistake(
            "`archive` is a materialized view: each update computes it from the files that are there, and loses the "
            "others. Read the files as a stream."
        )
    properties = {row.key: row.value for row in attempt.spark.sql("SHOW TBLPROPERTIES archive").collect()}
    if properties.get(_RESET, "true").lower() != "false":
        raise Mistake(
            "Nothing protects `archive`: a full refresh empties it and reads what the landing directory has then. Set "
            f"its table property `{_RESET}` to `false`."
        )
    if attempt.source is not None and "full_refresh_all" not in attempt.source:
        raise Mistake("Your cell runs an ordinary update. End it with a full refresh of everything, as the proof.")
    lines = attempt.spark.read.text(f"{attempt.paths.landing}/orders").selectExpr("value", "_metadata.file_name")
    attempt.compare(made, lines, "archive")
    by_channel = made.selectExpr("get_json_object(value, '$.channel') AS channel").groupBy("channel").count()
    attempt.compare(channels, by_channel.toDF("channel", "lines"), "archive_channels")


def _orders_of(sandbox: Sandbox, name: str, *channels: str | None) -> None:
    rows = [{"order_id": number, "channel": channel} for number, channel in enumerate(channels)]
    sandbox.file(name, rows, f"{sandbox.paths.landing}/orders")


def _two_days(sandbox: Sandbox) -> None:
    """Land two files with orders of three channels, two of them in one file only, and one without a channel."""
    _orders_of(sandbox, "day-a.json", "web", "web", "app", None)
    _orders_of(sandbox, "day-b.json", "kiosk", "app")


def _tidied_up(sandbox: Sandbox) -> None:
    """Remove the first day's file, and land another one."""
    (classroom_files().local_path(f"{sandbox.paths.landing}/orders") / "day-a.json").unlink()
    _orders_of(sandbox, "day-c.json", "web", "phone")


ARCHIVE = Exercise(
    id="15.3",
    title="A refresh that loses nothing",
    starter=ARCHIVE_STARTER,
    hints=(
        "One of the two is the only copy of its lines, the other can be computed from it: which kinds are they?",
        "A full refresh leaves out a table whose property forbids it. The paragraph above the task names the property.",
        "`@dp.table(table_properties={...})` takes a dictionary with texts, the value as well.",
    ),
    solution=ARCHIVE_SOLUTION,
    why=(
        "The archive reads each file once and keeps its lines, so it is all that is left when files are deleted. "
        "`pipelines.reset.allowed` leaves it and its checkpoint alone, and everything after it can be computed "
        "from it again, as often as a definition changes. So protect the first table, and only that one."
    ),
    check=check_archive,
    hidden=(
        HiddenTest(
            _two_days,
            ("archive", "archive_channels"),
            later=(_tidied_up,),
            above=_IMPORTS,
            says="Your cell was run on other files, and again after one was deleted and another one had landed.",
        ),
    ),
    wrong=(
        WrongAnswer(
            ARCHIVE_SOLUTION.replace('(table_properties={"pipelines.reset.allowed": "false"})', ""), "Nothing protects"
        ),
        WrongAnswer(ARCHIVE_SOLUTION.replace('"false"', '"true"'), "Nothing protects"),
        WrongAnswer(
            ARCHIVE_SOLUTION.replace("@dp.table(", "@dp.materialized_view(").replace("readStream", "read"),
            "is a materialized view",
        ),
        WrongAnswer(ARCHIVE_SOLUTION.replace("full_refresh_all=True", ""), "an ordinary update"),
        WrongAnswer(
            ARCHIVE_SOLUTION.replace("run_pipeline(full_refresh_all=True)", 'run_pipeline(full_refresh="archive")'),
            "property",
        ),
    ),
    makes=Makes(variables=("update",), tables=("archive", "archive_channels")),
)

EXERCISES = (QUARANTINE, KINDS, ARCHIVE)
