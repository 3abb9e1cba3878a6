"""Check exercise 11X.1, "Only the last ten minutes"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lesson_exercises import planted

from streaming_classroom.exercises import Attempt, HiddenTest, Makes, Mistake

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.exercises.sandbox import Sandbox

HEARTBEAT = "oven STRING, at TIMESTAMP, status STRING, temperature DOUBLE"
ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
IMPORTS = "from pyspark.sql import Row\nfrom pyspark.sql.streaming import StatefulProcessor\n\n"


def check(attempt: Attempt) -> None:
    """Compare with the rises that a window over the time finds."""
    stream = attempt.stream("rising")
    attempt.wait_for_end(stream, "Use the function `run`, which waits for the end.")
    made = attempt.table("recent_rises")
    landed = attempt.spark.read.schema(HEARTBEAT).json(attempt.paths.landing)
    attempt.must_have_read(stream, landed.count())
    right = _rises(landed)
    if set(made.columns) == set(right.columns):
        if made.join(right, ["oven", "at"], "left_anti").count():
            raise Mistake(
                "A rise is too many: in the ten minutes before it no heartbeat was that much colder. Sort the rows of "
                "a batch by time, and leave out what is older."
            )
        if right.join(made, ["oven", "at"], "left_anti").count():
            raise Mistake("A rise is missing whose lowest temperature is of an earlier batch: the state must hold it.")
    attempt.compare(made, right, "recent_rises")


def _rises(landed: DataFrame) -> DataFrame:
    from pyspark.sql import functions as F

    before = F.expr("""min(temperature) OVER (PARTITION BY oven ORDER BY at
        RANGE BETWEEN INTERVAL '10:00' MINUTE TO SECOND PRECEDING
            AND INTERVAL '00:01' MINUTE TO SECOND PRECEDING)""")
    rows = landed.withColumn("degrees", F.round(F.col("temperature") - before, 1)).where("degrees > 4")
    return rows.select("oven", "at", "degrees")


def _a_night(sandbox: Sandbox) -> None:
    """Plant ovens that cool down and heat up within a file, out of order, and after a break."""
    sandbox.spark.conf.set("spark.sql.streaming.stateStore.providerClass", ROCKSDB)
    _land(sandbox, "1", ("A", 6, 226.5), ("A", 1, 225.0), ("A", 3, 220.0), ("B", 1, 210.0), ("B", 5, 209.0))
    _land(sandbox, "1b", ("C", 2, 215.0))


def _the_night_goes_on(sandbox: Sandbox) -> None:
    """Plant rises over what an earlier batch has read, recent and too old, and a slow one of many heartbeats."""
    rows = [("B", minute, 209.0 + 0.5 * (minute - 5)) for minute in range(6, 16)]
    _land(sandbox, "2", ("C", 9, 219.5), ("A", 15, 224.5), *rows)


def _the_morning(sandbox: Sandbox) -> None:
    _land(sandbox, "3", ("C", 30, 224.5), ("B", 16, 215.5), ("A", 20, 230.0), ("D", 20, 240.0))


def _land(sandbox: Sandbox, name: str, *beats: tuple[str, int, float]) -> None:
    rows = [
        {"oven": oven, "at": f"2024-03-05T00:{minute:02}:00Z", "status": "on", "temperature": temperature}
        for oven, minute, temperature in beats
    ]
    sandbox.file(f"night-{name}.json", rows)


MAKES = Makes(variables=("rising",), tables=("recent_rises",), folders=("checkpoints/recent_rises",))

HIDDEN = (
    HiddenTest(
        _a_night,
        ("recent_rises",),
        later=(_the_night_goes_on, planted.crash_before_commit, _the_morning),
        above=IMPORTS + planted.definitions_of("11X", "HEARTBEAT", "heartbeats", "run", "rise"),
        says=(
            "Your cell was run on another night, file by file and with a restart. The rows of a file are in no "
            "particular order, and some rises are over heartbeats of an earlier batch."
        ),
    ),
)
