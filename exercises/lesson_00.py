"""Exercises of lesson 00: filter a stream, and land a day of readings."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from streaming_classroom.exercises import Attempt, Exercise, Makes, Mistake, WrongAnswer

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

# ------------------------------------------------------------------------------------------------ 00.1 a stream to see

EVENS_STARTER = """
DA.exercise("00.1")  # removes what an earlier attempt created

ticks = (spark.readStream
    .format("rate")
    .option("rowsPerSecond", 5)
    .load())

evens = None  # ticks, but only the even values

if evens is not None:
    display(evens, streamName="evens")
"""

EVENS_SOLUTION = EVENS_STARTER.replace(
    "evens = None  # ticks, but only the even values", 'evens = ticks.where("value % 2 = 0")'
)


_ENOUGH = 3  # rows, which tell every even value from every fourth
_PATIENCE = 8.0  # seconds


def check_evens(attempt: Attempt) -> None:
    """Look at what the stream has shown so far: a filter on a source without an end."""
    frame = attempt.value("evens")
    if not hasattr(frame, "isStreaming"):
        raise Mistake(f"`evens` is a {type(frame).__name__}. It must be a DataFrame derived from `ticks`.")
    if not frame.isStreaming:
        raise Mistake("`evens` is not a stream. Derive it from `ticks`, which is a streaming DataFrame.")
    if "value" not in frame.columns:
        raise Mistake("`evens` has no column `value`. Keep all columns and filter the rows.")
    shown = _some_rows(attempt)
    odd = shown.where("value % 2 <> 0").count()
    if odd and not shown.where("value % 2 = 0").count():
        raise Mistake("These are the odd values. The exercise asks for the even ones.")
    if odd:
        raise Mistake("`evens` contains odd values. Filter out rows where `value % 2` is not 0.")
    _must_be_every_even_one(shown, frame)


def _some_rows(attempt: Attempt) -> DataFrame:
    """Return what the stream has shown, once a few rows are there; the source makes five each second."""
    deadline = time.monotonic() + min(_PATIENCE, attempt.left)
    while (shown := attempt.view("evens")).count() < _ENOUGH and time.monotonic() < deadline:
        time.sleep(0.5)
    return shown


def _must_be_every_even_one(shown: DataFrame, frame: DataFrame) -> None:
    """Look for even values that are missing, and for a query that changes values instead of leaving out rows."""
    values = {row.value for row in shown.select("value").collect()}
    if missing := sorted(set(range(0, max(values, default=0), 2)) - values):
        raise Mistake(
            f"Even values are missing, such as {missing[0]}: keep every row where `value % 2` is 0, and no other row."
        )
    if len(values) < _ENOUGH:
        raise Mistake(
            f"After {_PATIENCE:.0f} seconds there are {len(values)} values, although `ticks` keeps producing rows: "
            "keep every row where `value % 2` is 0, and no other row."
        )
    if hasattr(frame, "_jdf") and not _is_column_of_the_source(frame, "value"):
        raise Mistake(
            "Your query computes a new `value`. Filter the rows with `where`, and do not change their values."
        )


def _is_column_of_the_source(frame: DataFrame, name: str) -> bool:
    """Whether a column of a frame is a source's own, and nothing computed: it is the same attribute in the plan."""
    plan = frame._jdf.queryExecution().analyzed()
    made = {
        plan.output().apply(n).exprId().id()
        for n in range(plan.output().size())
        if plan.output().apply(n).name() == name
    }
    leaves = plan.collectLeaves()
    sources = [leaves.apply(number).output() for number in range(leaves.size())]
    read = {output.apply(n).exprId().id() for output in sources for n in range(output.size())}
    return made <= read


EVENS = Exercise(
    id="00.1",
    title="Only the even ones",
    starter=EVENS_STARTER,
    hints=(
        "Filter a stream as you filter a table: with `where` and a SQL condition.",
        'The condition is `value % 2 = 0`, in quotation marks: `ticks.where("...")`.',
    ),
    solution=EVENS_SOLUTION,
    why="The query defines the condition before the rows exist. Spark applies the condition to each new row as it "
    "arrives.",
    check=check_evens,
    wrong=(
        WrongAnswer(EVENS_STARTER.replace("= None", "= ticks"), "contains odd values"),
        WrongAnswer(EVENS_SOLUTION.replace("= 0", "= 1"), "the odd values"),
        WrongAnswer(EVENS_SOLUTION.replace("value % 2", "value % 4"), "Even values are missing, such as 2"),
        WrongAnswer(EVENS_SOLUTION.replace('"value % 2 = 0"', '"value < 0"'), "there are 0 values"),
        WrongAnswer(
            EVENS_SOLUTION.replace('where("value % 2 = 0")', 'selectExpr("timestamp", "value * 2 AS value")'),
            "computes a new `value`",
        ),
        WrongAnswer(EVENS_SOLUTION.replace("ticks.where(", "ticks.selectExpr("), "no column `value`"),
        WrongAnswer(EVENS_STARTER.replace("= None", "= spark.range(10)"), "is not a stream"),
        WrongAnswer(EVENS_STARTER.replace("= None", '= "value % 2 = 0"'), "is a str"),
        WrongAnswer(EVENS_SOLUTION.replace("value % 2", "number % 2"), "raised an error"),
    ),
    makes=Makes(variables=("evens",), streams=("evens",), views=("evens",)),
    is_over_when_right=True,
)

# ------------------------------------------------------------------------------------------------ 00.2 a batch to land

LAND_STARTER = """
readings_landed = None  # land one more day, then count all readings that have landed
"""

LAND_SOLUTION = """
DA.data_factory.load()

readings_landed = spark.read.json(DA.paths.landing).count()
"""


def check_landed(attempt: Attempt) -> None:
    """Count what has landed, in all of it and in its newest day."""
    counted = attempt.value("readings_landed")
    if not isinstance(counted, int):
        raise Mistake(
            f"`readings_landed` is a {type(counted).__name__}; the exercise asks for a number: end with `.count()`."
        )
    readings = attempt.spark.read.json(attempt.paths.landing).selectExpr("*", "_metadata.file_name AS file")
    days = {row["file"]: row["count"] for row in readings.groupBy("file").count().collect()}
    if len(days) < 3:
        raise Mistake(
            "No day has landed since the two in section 4. Call `DA.data_factory.load()` again, and then count."
        )
    if counted == days[max(days)]:
        raise Mistake("This counts only the newest day. Count all readings: read the folder `DA.paths.landing`.")
    if counted == len(days):
        raise Mistake(
            "This is the number of files. Each file holds one day, and each line in it is one reading: count the lines."
        )
    if counted == sum(days.values()) - days[max(days)]:
        raise Mistake("You counted before the newest day landed: call `DA.data_factory.load()` first, and then count.")
    if counted != sum(days.values()):
        raise Mistake(
            f"You counted {counted:,} readings, but {sum(days.values()):,} have landed: count all of "
            "`DA.paths.landing`."
        )


LAND = Exercise(
    id="00.2",
    title="The third day",
    starter=LAND_STARTER,
    hints=(
        "Two lines: the first lands a day, the second counts. Both are in section 4.",
        "`DA.data_factory.load()`, and `spark.read.json(DA.paths.landing).count()`.",
    ),
    solution=LAND_SOLUTION,
    why="A batch `spark.read` reads the data that exists at that moment. To include the next day, you have to read "
    "again.",
    check=check_landed,
    wrong=(
        WrongAnswer("readings_landed = spark.read.json(DA.paths.landing).count()", "No day has landed since"),
        WrongAnswer(LAND_SOLUTION.replace(".count()", ""), "end with `.count()`"),
        WrongAnswer(
            LAND_SOLUTION.replace(".count()", '.select("_metadata.file_name").distinct().count()'),
            "the number of files",
        ),
        WrongAnswer(
            "readings_landed = spark.read.json(DA.paths.landing).count()\nDA.data_factory.load()\n",
            "before the newest day landed",
        ),
    ),
    makes=Makes(variables=("readings_landed",)),
)

EXERCISES = (EVENS, LAND)
