"""Check exercise 11.1, "Switched off is not silent"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lesson_exercises import planted
from lesson_exercises.lesson_11.cells_above import cells_above

from streaming_classroom.exercises import Attempt, HiddenTest, Makes, Mistake

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.exercises.sandbox import Sandbox

HEARTBEAT = "oven STRING, at TIMESTAMP, status STRING, temperature DOUBLE"
ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"


def check(attempt: Attempt) -> None:
    """Compare with the silences that SQL finds, and name the ovens that were switched off."""
    made = attempt.view("calls")  # a table; without it, nobody has tried
    landed = attempt.spark.read.schema(HEARTBEAT).json(attempt.paths.landing)
    every = _silences(landed)
    right = every.where("status = 'on'").drop("status", "heard_again")
    if set(made.columns) == set(right.columns):
        _must_not_be_off(made, every)
        if made.count() and made.join(every.where("heard_again IS NOT NULL"), ["oven", "last_heard"]).isEmpty():
            raise Mistake(
                "Only ovens that were not heard again are among the calls. `Silence` misses a silence that ends before "
                "its timer fires: derive `Watch` from `EachSilence`."
            )
        _must_not_be_of_the_heartbeat_before(made, landed)
    attempt.compare(made, right, "calls")


def _must_not_be_off(made: DataFrame, every: DataFrame) -> None:
    off = made.join(every.where("status = 'off'"), ["oven", "last_heard"], "left_semi")
    again = off.join(every.where("heard_again IS NOT NULL"), ["oven", "last_heard"], "left_semi").count()
    for_good = off.count() - again
    if again and for_good:
        raise Mistake(
            "Ovens that were switched off are among the calls, as in `alarms`. If `Watch` looks at the status: what a "
            "method stores in `self` is lost after the batch, so the status has to be in a state variable."
        )
    if again:
        raise Mistake(
            "An oven that was switched off, and later on again, is among the calls. Its silence is found when the oven "
            "is heard again, often in a later batch than its `off`: `handleInputRows` needs a state variable with it."
        )
    if for_good:
        raise Mistake(
            "An oven that was switched off for good is among the calls. That alarm comes from `handleExpiredTimer`, "
            "which is given no rows: what it must know has to be in the state."
        )


def _must_not_be_of_the_heartbeat_before(made: DataFrame, landed: DataFrame) -> None:
    off = landed.where("status = 'off'").selectExpr("oven", "at AS off_at")
    close = "last_heard < off_at AND last_heard > off_at - INTERVAL 2 MINUTES"
    if made.join(off, "oven").where(close).count():
        raise Mistake(
            "An oven is called for although it was switched off: `last_heard` is the minute before its `off`. A "
            "heartbeat with the status `off` is a heartbeat: do not leave it out."
        )


def _silences(landed: DataFrame) -> DataFrame:
    """Return each silence that has ended, or that the watermark has passed, with the status before it."""
    landed.createOrReplaceTempView("_heartbeats_11")
    return landed.sparkSession.sql("""
        SELECT oven, at AS last_heard, at + INTERVAL 10 MINUTES AS alarm_at, status, heard_again
        FROM (SELECT *, lead(at) OVER (PARTITION BY oven ORDER BY at) AS heard_again, max(at) OVER () AS newest
              FROM _heartbeats_11)
        WHERE heard_again > at + INTERVAL 10 MINUTES
            OR (heard_again IS NULL AND at + INTERVAL 10 MINUTES <= newest - INTERVAL 10 MINUTES)
        """)


#: Oven, minute, status. In one file: a gap, and an off with a return; rows are not in their order.
_FIRST = (
    ("A", 1, "on"), ("A", 30, "on"), ("A", 14, "on"), ("A", 5, "off"),
    ("B", 2, "on"), ("B", 12, "on"), ("B", 31, "off"),
    ("C", 3, "off"), ("C", 4, "on"), ("C", 20, "on"),
    ("D", 29, "off"),
)  # fmt: skip
#: B returns from its off and then falls silent; C says off and stays away.
_SECOND = (("B", 50, "on"), ("C", 33, "off"), ("A", 39, "on"), ("A", 55, "off"), ("A", 56, "on"), ("E", 58, "on"))
_THIRD = (("B", 51, "on"), ("A", 90, "on"), ("E", 95, "on"), ("D", 96, "on"))
_FOURTH = (("A", 130, "on"), ("D", 131, "on"))


def _a_night(sandbox: Sandbox) -> None:
    """Land two files: rows out of order, a break of exactly ten minutes, ovens off and on."""
    sandbox.spark.conf.set("spark.sql.streaming.stateStore.providerClass", ROCKSDB)
    _land(sandbox, "1", _FIRST)
    _land(sandbox, "2", _SECOND)
    stream = sandbox.spark.readStream.schema(HEARTBEAT).option("maxFilesPerTrigger", 1).json(sandbox.paths.landing)
    sandbox.keep(heartbeats=stream.withWatermark("at", "10 minutes"))


def _the_night_goes_on(sandbox: Sandbox) -> None:
    """Land a late heartbeat, and ovens that return from a silence or after an `off` of an earlier file."""
    _land(sandbox, "3", _THIRD)


def _the_morning(sandbox: Sandbox) -> None:
    """Land two ovens that return after the restart; the others stay silent or switched off."""
    _land(sandbox, "4", _FOURTH)


def _land(sandbox: Sandbox, name: str, beats: tuple[tuple[str, int, str], ...]) -> None:
    rows = [
        {"oven": oven, "at": f"2024-03-05T{minute // 60:02}:{minute % 60:02}:00Z", "status": status}
        | {"temperature": 200.5}
        for oven, minute, status in beats
    ]
    sandbox.file(f"night-{name}.json", rows)


MAKES = Makes(tables=("calls",), folders=("checkpoints/calls",))

HIDDEN = (
    HiddenTest(
        _a_night,
        ("calls",),
        later=(_the_night_goes_on, planted.crash_before_commit, _the_morning),
        above=cells_above("readable", "run_into"),
        says=(
            "Your cell was run on another night: ovens that are switched off and on within one file, that fall "
            "silent after it, and a restart in between."
        ),
    ),
)
