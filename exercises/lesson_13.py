"""Exercises of lesson 13: a second try for what is in quarantine, and the pipeline as a job."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from lesson_exercises import planted

from streaming_classroom.exercises import Attempt, Exercise, HiddenTest, Makes, Mistake, NotTried, WrongAnswer

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.hidden_tests import Sandbox

_CUSTOMER = "customer_id INT, name STRING, email STRING, country STRING, city STRING, segment STRING"
_SILVER = (
    "order_id BIGINT, customer_id INT, country STRING, ordered_at TIMESTAMP, channel STRING, revenue DECIMAL(12, 2)"
)
_DAY_FIRST = r'"ordered_at":"(\d\d)/(\d\d)/(\d{4}) (\d\d:\d\d)"'
_DEFINED = (
    "ORDER", "REASON", "checked", "REVENUE", "insert_orders", "CUSTOMER", "CHANGE", "writer", "bronze",
    "apply_changes", "silver_customers", "sort_out", "silver_orders", "try_again", "retry", "update_report",
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

# --------------------------------------------------------------------------------- 13.1 the quarantine's second try

SECOND_STARTER = """
DA.exercise("13.1")  # removes what an earlier attempt created

spark.sql("CREATE TABLE IF NOT EXISTS orders_copy AS SELECT * FROM silver_orders")
spark.sql("CREATE TABLE IF NOT EXISTS quarantine_copy AS SELECT * FROM quarantine")

# your code: read quarantine_copy, insert into orders_copy, delete from quarantine_copy
"""

SECOND_SOLUTION = (
    SECOND_STARTER.rpartition("# your code")[0]
    + r'''day_first = r"(\d\d)/(\d\d)/(\d{4}) (\d\d:\d\d)"
bad_times = spark.table("quarantine_copy").where("reason = 'bad time'").select("value", "file_name")
understood = checked(bad_times.withColumn("value", F.regexp_replace("value", day_first, "$3-$2-$1T$4:00Z")))
(understood
    .where("reason IS NULL")
    .dropDuplicates(["order_id"])
    .withColumn("revenue", F.expr(REVENUE))
    .localCheckpoint()
    .createOrReplaceTempView("understood_vw"))

spark.sql("""
    MERGE INTO orders_copy AS there USING understood_vw AS new ON there.order_id = new.order_id
    WHEN NOT MATCHED THEN INSERT (order_id, customer_id, country, ordered_at, channel, revenue)
        VALUES (order_id, customer_id, country, ordered_at, channel, revenue)""")
spark.sql("""
    MERGE INTO quarantine_copy AS line USING understood_vw AS new
    ON line.reason = 'bad time' AND CAST(get_json_object(line.value, '$.order_id') AS BIGINT) = new.order_id
    WHEN MATCHED THEN DELETE
""")
'''
)


def check_second(attempt: Attempt) -> None:
    """Say where the lines with a bad time are: still in quarantine, in silver, in both, or nowhere."""
    bad = _bad_times(attempt)
    silver, quarantine = attempt.table("orders_copy"), attempt.table("quarantine_copy")
    moved = silver.join(bad, "order_id", "left_semi")
    waiting = quarantine.join(bad.select("value"), "value", "left_semi").count()
    there = moved.select("order_id").distinct().count()
    if not there and waiting and attempt.cell_error is None:
        raise NotTried
    if attempt.cell_error is not None and not there:
        raise Mistake(f"Your cell raised an error: {attempt.words_of_error}")
    if moved.count() > there:
        raise Mistake("Some orders are in `orders_copy` twice. Insert only those that it does not have.")
    if there < bad.select("order_id").distinct().count():
        lost = " They have left the quarantine, too: they are lost." if not waiting else ""
        raise Mistake(f"Only {there} of the orders with a bad time are in `orders_copy`.{lost}")
    attempt.compare(
        moved.select("order_id", "ordered_at"), bad.select("order_id", "ordered_at").distinct(), "orders_copy"
    )
    if waiting:
        raise Mistake(f"The orders are in `orders_copy`, but {waiting} of their lines are still in `quarantine_copy`.")


def _bad_times(attempt: Attempt) -> DataFrame:
    from pyspark.sql import functions as F

    lines = attempt.table("bronze_orders").where(F.col("value").rlike(_DAY_FIRST))
    time = F.regexp_replace(F.regexp_extract("value", _DAY_FIRST, 0), _DAY_FIRST, "$3-$2-$1 $4:00")
    number = F.get_json_object("value", "$.order_id").cast("long")
    return lines.select("value", number.alias("order_id"), F.to_timestamp(time).alias("ordered_at"))


def _quarantine(sandbox: Sandbox) -> None:
    """Plant days below and above 12, a time that nobody can read, an order that silver has, and other reasons.

    Two lines whose time can be understood have a second fault: an unknown customer, and a quantity of 0.
    """
    _customers(sandbox)
    lines = [
        ("bad time", _line(1, at="25/02/2024 14:07")), ("bad time", _line(2, at="03/04/2024 00:00")),
        ("bad time", _line(3, at="yesterday")), ("bad time", _line(4, at="12/11/2024 23:59")),
        ("bad time", _line(4, at="12/11/2024 23:59")), ("bad time", _line(5, at="01/02/2024 09:30")),
        ("no customer", _line(6, customer=None, at="2024-03-05T08:00:00Z")), ("unreadable", '{"order_id":7,"cust'),
        ("bad time", _line(9, customer=99, at="13/02/2024 10:00")),
        ("bad time", _line(10, at="14/02/2024 10:00", quantity=0)),
    ]  # fmt: skip
    sandbox.append("quarantine", [(*line, "a.json") for line in lines], "reason STRING, value STRING, file_name STRING")
    sandbox.append("silver_orders", [], _SILVER)
    sandbox.spark.sql("INSERT INTO silver_orders VALUES (5, 1, 'PT', TIMESTAMP '2024-02-01 09:30:00', 'web', 7)")


def _another_line(sandbox: Sandbox) -> None:
    """Append a line with its day first, and one of an order that was moved before; keep which write came first."""
    inserted, deleted = (_last_commit(sandbox, table) for table in ("orders_copy", "quarantine_copy"))
    sandbox.keep(_insert_came_first=inserted <= deleted)
    lines = [("bad time", _line(8, at="28/02/2024 10:00")), ("bad time", _line(1, at="25/02/2024 14:07"))]
    sandbox.append(
        "quarantine_copy", [(*line, "b.json") for line in lines], "reason STRING, value STRING, file_name STRING"
    )


def _last_commit(sandbox: Sandbox, table: str) -> datetime:
    return sandbox.spark.sql(f"DESCRIBE HISTORY {table}").agg({"timestamp": "max"}).first()[0]


def _lost_by_a_crash(sandbox: Sandbox) -> DataFrame:
    """Return whether a crash between the first run's two writes would have lost orders."""
    return sandbox.frame([(not sandbox.kept["_insert_came_first"],)], "lost BOOLEAN")


_lost_by_a_crash.__name__ = "orders that a crash between the two writes loses"


def _customers(sandbox: Sandbox) -> None:
    rows = [(1, "n", "e", "PT", "c", "s", 0, False), (2, "n", "e", "GR", "c", "s", 0, False)]
    sandbox.spark.sql(f"""CREATE TABLE silver_customers ({_CUSTOMER}, sequence LONG, left_us BOOLEAN) USING delta
        TBLPROPERTIES (delta.enableChangeDataFeed = true)""")
    sandbox.append("silver_customers", rows, f"{_CUSTOMER}, sequence LONG, left_us BOOLEAN")


def _line(number: int, at: str, customer: int | None = 1, quantity: int = 2) -> str:
    items = [{"sku": "P-1", "quantity": quantity, "price": 3.5}]
    order = {"order_id": number, "customer_id": customer, "ordered_at": at, "channel": "web", "items": items}
    return json.dumps(order, separators=(",", ":"))


SECOND = Exercise(
    id="13.1",
    title="The quarantine's second try",
    starter=SECOND_STARTER,
    hints=(
        "Read the lines of `quarantine_copy` with the reason `bad time`, and rewrite the time in `value`: "
        "`12/03/2025 14:07` becomes `2025-03-12T14:07:00Z`. `F.regexp_replace` can reorder groups.",
        "`checked` takes lines with `value` and `file_name`, and gives each a new reason. `insert_orders` inserts "
        "those that silver does not have.",
        "To delete, compare by the order's number: `get_json_object(value, '$.order_id')`. A `MERGE` with "
        "`WHEN MATCHED THEN DELETE` does it. Insert first, delete afterwards.",
    ),
    solution=SECOND_SOLUTION,
    why=(
        "The lines are corrected in a copy and go through the same checks as all others, so a second fault would be "
        "found. The insert-only `MERGE` makes the cell idempotent. It inserts first and deletes afterwards: if it "
        "fails between the two, an order is in both tables, and the next run puts that right. The other way around it "
        "is lost."
    ),
    check=check_second,
    hidden=(
        HiddenTest(
            _quarantine,
            ("orders_copy", "quarantine_copy", _lost_by_a_crash),
            later=(_another_line,),
            above=planted.definitions_of("13", "ORDER", "REASON", "checked", "REVENUE"),
            says="Your cell was run on another quarantine, twice: with a time that nobody can read, lines with a "
            "second fault, and duplicates.",
        ),
    ),
    wrong=(
        WrongAnswer(SECOND_SOLUTION.replace("$3-$2-$1", "$3-$1-$2"), "orders_copy"),
        WrongAnswer(SECOND_SOLUTION[: SECOND_SOLUTION.rindex("spark.sql(")], "still in `quarantine_copy`"),
        WrongAnswer(
            SECOND_SOLUTION[: SECOND_SOLUTION.index('spark.sql("""')]
            + SECOND_SOLUTION[SECOND_SOLUTION.rindex("spark.sql(") :],
            "they are lost",
        ),
        WrongAnswer(
            SECOND_SOLUTION[: SECOND_SOLUTION.rindex("spark.sql(")]
            + "spark.sql(\"DELETE FROM quarantine_copy WHERE reason = 'bad time'\")\n",
            "another quarantine",
        ),
        WrongAnswer(
            SECOND_SOLUTION[: SECOND_SOLUTION.rindex("spark.sql(")]
            + 'spark.table("quarantine_copy").where(F.col("value").rlike(day_first)).select("value").distinct()'
            '.createOrReplaceTempView("day_first_vw")\n'
            'spark.sql("""\n    MERGE INTO quarantine_copy AS line USING day_first_vw AS new\n'
            '    ON line.value = new.value\n    WHEN MATCHED THEN DELETE\n""")\n',
            "lines with a second fault",
        ),
        WrongAnswer(SECOND_SOLUTION.replace('"reason IS NULL"', '"ordered_at IS NOT NULL"'), "with a second fault"),
        WrongAnswer(
            SECOND_SOLUTION[: SECOND_SOLUTION.index('spark.sql("""')]
            + SECOND_SOLUTION[SECOND_SOLUTION.rindex("spark.sql(") :]
            + SECOND_SOLUTION[SECOND_SOLUTION.index('spark.sql("""') : SECOND_SOLUTION.rindex("spark.sql(")],
            "a crash between the two writes",
        ),
    ),
    makes=Makes(tables=("orders_copy", "quarantine_copy"), views=("understood_vw",), by_starter=True),
)

# --------------------------------------------------------------------------------------------- 13.2 the nightly job

JOB_STARTER = """
DA.exercise("13.2")  # removes what an earlier attempt created


def run_job():
    ...  # run the six streams, each until it ends, in an order in which each finds what it needs


# call run_job() here
"""

JOB_SOLUTION = """
DA.exercise("13.2")  # removes what an earlier attempt created


def run_job():
    once = {"availableNow": True}
    bronze("bronze_customers", DA.paths.landing_customers, **once).awaitTermination()
    bronze("bronze_orders", DA.paths.landing, **once).awaitTermination()
    silver_customers(**once).awaitTermination()
    silver_orders(**once).awaitTermination()
    retry(**once).awaitTermination()
    gold_revenue(**once).awaitTermination()


run_job()
"""
GOLD = "    gold_revenue(**once).awaitTermination()\n"


def check_job(attempt: Attempt) -> None:
    """Follow the lines from bronze to gold, and name the stream that has not done its part.

    An earlier attempt may have brought all lines to where they belong: then the hidden test alone tells answers apart.
    """
    if (attempt.source or "").strip() == JOB_STARTER.strip():
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
    """Name the sections to run where the pipeline's tables are gone, as they are after a restart."""
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
    """Land orders of a known customer, of one who becomes known in the same night, and of one in the next."""
    sandbox.paths.landing_customers = f"{sandbox.paths.working_dir}/landing-customers"
    _customers(sandbox)
    sandbox.append("silver_orders", [], _SILVER)
    sandbox.append("quarantine", [], "reason STRING, value STRING, file_name STRING")
    sandbox.append("gold_revenue", [], "day DATE, country STRING, orders BIGINT, revenue DECIMAL(22, 2)")
    at = "2024-03-05T08:00:00Z"
    _orders(
        sandbox,
        "day-1.json",
        [_line(1, at), _line(2, at, customer=3), _line(3, at, customer=4), _line(4, at, quantity=0)],
    )
    _changes(sandbox, "day-1.json", [_change(11, 3), _change(12, 2, country="IE")])


def _second_night(sandbox: Sandbox) -> None:
    """Land the customer of an order that waits, an order of hers, and one of a customer who comes later."""
    at = "2024-03-06T08:00:00Z"
    _orders(
        sandbox,
        "day-2.json",
        [_line(5, at, customer=4), _line(1, at), _line(6, at, customer=2), _line(7, at, customer=5)],
    )
    _changes(sandbox, "day-2.json", [_change(13, 4)])


def _starts(sandbox: Sandbox) -> DataFrame:
    """Return how often the job of the second night has started each stream."""
    return sandbox.frame(sorted(Counter(sandbox.value("_started")).items()), "stream STRING, starts INT")


_starts.__name__ = "the starts of each stream"


def _orders(sandbox: Sandbox, name: str, lines: Sequence[str]) -> None:
    sandbox.file(name, map(json.loads, lines))


def _changes(sandbox: Sandbox, name: str, changes: list[dict[str, object]]) -> None:
    sandbox.file(name, changes, sandbox.paths.landing_customers)


def _change(sequence: int, customer: int, country: str = "SE") -> dict[str, object]:
    person = {"name": "n", "email": "e", "country": country, "city": "c", "segment": "s"}
    return {"sequence": sequence, "operation": "UPDATE", "customer_id": customer} | person


JOB = Exercise(
    id="13.2",
    title="The nightly job",
    starter=JOB_STARTER,
    hints=(
        "Each function of the pipeline takes a trigger and returns its query: start it, then `awaitTermination()`, "
        "then start the next one.",
        "Which table does each stream read? It must be complete before the stream starts.",
        "`silver_orders` looks customers up, so `silver_customers` comes first. `retry` moves waiting orders into "
        "silver, so `gold_revenue` comes last.",
    ),
    solution=JOB_SOLUTION,
    why=(
        "A live stream finds later what it misses now. A job does not: what a stream has not found when it ends waits "
        "until tomorrow. So the order of the dependencies is the order of the job, and each stream ends before the "
        "next one starts. A scheduler of jobs, such as Databricks' or Airflow, draws the same graph."
    ),
    check=check_job,
    hidden=(
        HiddenTest(
            _first_night,
            ("silver_orders", "quarantine", "gold_revenue", _starts),
            later=(_second_night,),
            above=planted.definitions_of("13", *_DEFINED) + _COUNTED,
            says="Your cell was run for two nights of another shop, in which customers become known late. (`retry` "
            "moves their orders to silver, and `gold_revenue` reads silver.)",
        ),
    ),
    wrong=(
        # These two come first: what they leave out has not been done by another attempt.
        WrongAnswer(JOB_SOLUTION.replace("\n\nrun_job()\n", "\n"), "is it called"),
        WrongAnswer(
            JOB_SOLUTION.replace("    silver_orders(**once).awaitTermination()\n", ""), "are not in `silver_orders`"
        ),
        WrongAnswer(
            JOB_SOLUTION.replace("    silver_customers(**once).awaitTermination()\n", "")
            .replace("    retry(**once)", "    silver_customers(**once).awaitTermination()\n    retry(**once)")
            .replace("    retry(**once).awaitTermination()\n", ""),
            "two nights",
        ),
        WrongAnswer(
            JOB_SOLUTION.replace("    gold_revenue(**once).awaitTermination()\n", "").replace(
                '    bronze("bronze_customers"',
                '    gold_revenue(**once).awaitTermination()\n    bronze("bronze_customers"',
            ),
            "gold_revenue",
        ),
        WrongAnswer(JOB_SOLUTION.replace("    retry(**once).awaitTermination()\n", ""), "two nights"),
        WrongAnswer(
            JOB_SOLUTION.replace(
                "    retry(**once).awaitTermination()\n",
                "    for _ in range(2):\n        retry(**once).awaitTermination()\n",
            ),
            "the starts of each stream",
        ),
        WrongAnswer(
            JOB_SOLUTION.replace(
                "    gold_revenue(**once).awaitTermination()\n", "    gold_revenue().processAllAvailable()\n"
            ),
            "still running",
        ),
    ),
    makes=Makes(streams=_PIPELINE),
)

EXERCISES = (SECOND, JOB)
