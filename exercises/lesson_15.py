"""Exercises of lesson 15: keep what an expectation drops, a history from a feed of changes."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from streaming_classroom.exercises import Attempt, Exercise, HiddenTest, Makes, Mistake, WrongAnswer

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
_RULES = ("order_id IS NOT NULL", "year(ordered_at) = 2025", "forall(items, item -> item.quantity > 0)")


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
    every, any_false = " AND ".join(_RULES), " OR ".join(f"NOT ({rule})" for rule in _RULES)
    for condition, mistake in (
        (every, "These are the rows that silver keeps. Invert the condition."),
        (
            "true",
            "Every order is there. `expect` counts a violation and keeps the row; use `expect_or_drop` to drop it.",
        ),
        (
            any_false,
            "Rows are missing for which a rule is NULL: then NOT of the rule is NULL, too, and the row is neither in "
            "silver nor here. Use `(...) IS NOT TRUE`.",
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
    bronze = attempt.spark.table("bronze_orders")
    return bronze.selectExpr("*", f"from_json(value, '{_ORDER}') AS line").select("value", "file_name", "line.*")


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
    sandbox.append("bronze_orders", [('{"order_id": null}', "later.json")], "value STRING, file_name STRING")


def _refused_lines(sandbox: Sandbox) -> DataFrame:
    return sandbox.rows("quarantine").select("value", "file_name")


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
        "With `NOT`, orders whose time cannot be read would be in neither table: their year is NULL, and NOT NULL is "
        "NULL. Both tables read the same view and the same `RULES`, so a changed rule applies to both."
    ),
    check=check_quarantine,
    hidden=(
        HiddenTest(
            _orders,
            (_refused_lines,),
            later=(_one_more_order,),
            above=_ABOVE_ORDERS,
            says="Your cell was run on other orders, which break each rule alone, two of them, or none.",
        ),
    ),
    wrong=(
        WrongAnswer(QUARANTINE_SOLUTION.replace(" IS NOT TRUE", ""), "that silver keeps"),
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
            QUARANTINE_SOLUTION.replace('table("orders")', 'table("orders").select("order_id", "ordered_at", "items")'),
            "has no column",
        ),
        WrongAnswer(QUARANTINE_SOLUTION.replace('table("orders")', 'table("order")'), "The update has failed"),
    ),
    makes=Makes(variables=("update",), tables=("quarantine",)),
)

# ---------------------------------------------------------------------------------------------- 15.2 every version

HISTORY_STARTER = """
DA.exercise("15.2")  # removes what an earlier attempt created

# your definition of customer_history


update = None  # then run_pipeline(refresh="customer_history")
"""

HISTORY_SOLUTION = """
DA.exercise("15.2")  # removes what an earlier attempt created

dp.create_streaming_table("customer_history")
dp.create_auto_cdc_flow(
    target="customer_history", source="customer_changes", keys=["customer_id"], sequence_by="sequence",
    apply_as_deletes="operation = 'DELETE'", except_column_list=["operation"], stored_as_scd_type=2)

update = run_pipeline(refresh="customer_history")
"""

_CHANGE = """sequence LONG, operation STRING, customer_id INT, name STRING, email STRING, country STRING, city STRING,
    segment STRING, changed_at TIMESTAMP"""
_VERSION = ["customer_id", "name", "email", "country", "city", "segment", "__START_AT", "__END_AT"]


def check_history(attempt: Attempt) -> None:
    """Compare with the versions that plain SQL makes of the files."""
    _must_have_completed(attempt)
    made = attempt.table("customer_history")
    if "__START_AT" not in made.columns:
        raise Mistake(
            "The table has only the current version of each customer. To keep all versions, use "
            "`stored_as_scd_type=2`. An existing table must be dropped before its type changes; `DA.exercise` does it."
        )
    missing = set(_VERSION) - set(made.columns)
    if missing:
        raise Mistake(f"`customer_history` has no column `{missing.pop()}`. Exclude only `operation`.")
    if dict(made.dtypes)["__START_AT"] != "bigint":
        raise Mistake(
            "`__START_AT` is not the number of a change. The database numbers its changes: "
            'use `sequence_by="sequence"`.'
        )
    versions = _versions(attempt)
    made = made.select(_VERSION)
    if attempt.is_same(made, versions.select(_VERSION)):
        raise Mistake(
            "A customer who has left has an extra version without a name. Define which changes are deletes: use "
            "`apply_as_deletes`."
        )
    attempt.compare(made, versions.where("operation <> 'DELETE'").select(_VERSION), "customer_history")


def _versions(attempt: Attempt) -> DataFrame:
    """Return each change with where it begins and where the next one of its customer does."""
    lesson = attempt.spark.conf.get("da.paths.landing")
    changes = attempt.spark.read.schema(_CHANGE).json(f"{lesson}/customer-changes")
    changes.where("customer_id IS NOT NULL").dropDuplicates(["sequence"]).createOrReplaceTempView("_changes_15")
    return attempt.spark.sql(
        "SELECT *, sequence AS __START_AT, "
        "lead(sequence) OVER (PARTITION BY customer_id ORDER BY sequence) AS __END_AT FROM _changes_15"
    )


_ABOVE_CHANGES = """
from pyspark import pipelines as dp


@dp.temporary_view
def customer_changes():
    return spark.readStream.table("planted_changes").where("customer_id IS NOT NULL")
"""


def _changes(sandbox: Sandbox) -> None:
    """Make changes that come late, a customer who leaves and comes back, and a change that comes twice."""

    def change(sequence: int, operation: str, customer: int, city: str) -> tuple:
        when = datetime(2024, 3, 5) + timedelta(days=-sequence)  # the clocks are wrong
        return sequence, operation, customer, f"n{customer}", "e", "c", city, "s", when

    rows = [
        change(3, "UPDATE", 1, "B"), change(1, "INSERT", 1, "A"), change(2, "INSERT", 2, "A"),
        change(5, "DELETE", 2, "A"), change(8, "INSERT", 2, "C"), change(3, "UPDATE", 1, "B"),
    ]  # fmt: skip
    sandbox.append("planted_changes", rows, _CHANGE)


def _a_late_change(sandbox: Sandbox) -> None:
    when = datetime(2024, 3, 5)
    sandbox.append("planted_changes", [(2, "UPDATE", 1, "n1", "e", "c", "late", "s", when)], _CHANGE)


def _every_version(sandbox: Sandbox) -> DataFrame:
    return sandbox.rows("customer_history").select(_VERSION)


HISTORY = Exercise(
    id="15.2",
    title="Every version",
    starter=HISTORY_STARTER,
    hints=(
        "Use two calls, as for `customers`: one for the streaming table, with a new name, and one for the flow.",
        "The flow needs all arguments of the flow into `customers`, and one more.",
        '`stored_as_scd_type=2`, and then `run_pipeline(refresh="customer_history")`.',
    ),
    solution=HISTORY_SOLUTION,
    why=(
        "SCD type 2 closes a version where the next one begins: `__END_AT` is NULL for the current version. Both "
        "columns contain sequence numbers, because only the database knows the order of its changes; with `changed_at` "
        "as the sequence, they would be timestamps. A late change is inserted between two existing versions."
    ),
    check=check_history,
    hidden=(
        HiddenTest(
            _changes,
            (_every_version,),
            later=(_a_late_change,),
            above=_ABOVE_CHANGES,
            says="Your cell was run on other changes: one comes late, one comes twice, and a customer leaves and "
            "comes back.",
        ),
    ),
    wrong=(
        WrongAnswer(HISTORY_SOLUTION.replace(", stored_as_scd_type=2", ""), "only the current version"),
        WrongAnswer(HISTORY_SOLUTION.replace("apply_as_deletes=\"operation = 'DELETE'\", ", ""), "who has left"),
        WrongAnswer(
            HISTORY_SOLUTION.replace('sequence_by="sequence"', 'sequence_by="changed_at"'), "is not the number"
        ),
        WrongAnswer(
            HISTORY_SOLUTION.replace('except_column_list=["operation"]', 'column_list=["customer_id", "city"]'),
            "has no column",
        ),
        WrongAnswer(HISTORY_SOLUTION.replace('keys=["customer_id"]', 'keys=["email"]'), "customer_history"),
        WrongAnswer(
            HISTORY_SOLUTION.replace('sequence_by="sequence"', 'sequence_by="number"'), "The update has failed"
        ),
    ),
    makes=Makes(variables=("update",), tables=("customer_history",)),
)

EXERCISES = (QUARANTINE, HISTORY)
