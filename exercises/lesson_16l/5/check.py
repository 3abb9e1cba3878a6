"""Check exercise 16L.5, "Cure it while it runs"."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lesson_exercises import planted

from streaming_classroom.exercises import Attempt, HiddenTest, Makes, Mistake

if TYPE_CHECKING:
    from streaming_classroom.exercises.sandbox import Sandbox

MOST_BATCHES, MOST_STATE, MOST_FILES = 3, 300, 10
HEARTBEAT = "oven STRING, at TIMESTAMP, status STRING, temperature DOUBLE"


def check(attempt: Attempt) -> None:
    """Compare the rows, and check the limits of batches, state and files."""
    stream = attempt.stream("cured")
    attempt.wait_until_idle(stream, 60)
    made = attempt.table("cured")
    right = attempt.spark.read.schema(HEARTBEAT).json(attempt.paths.landing).dropDuplicates(["oven", "at"])
    attempt.must_have_checkpoint(stream, "cured")
    attempt.compare(made, right, "cured")
    if (batches := len(stream.rows_read)) > MOST_BATCHES:
        raise Mistake(f"Your stream took {batches} batches, and each has the fixed cost of a batch. What limits it?")
    states = [report["stateOperators"] for report in stream.query.recentProgress if report["stateOperators"]]
    rows = sum(operator["numRowsTotal"] for operator in states[-1]) if states else 0
    if rows > MOST_STATE:
        raise Mistake(f"The state has {rows:,} rows. When may Spark forget a heartbeat? It needs a watermark to know.")
    files = attempt.spark.sql("DESCRIBE DETAIL cured").first()["numFiles"]
    if files > MOST_FILES:
        raise Mistake(f"The table has {files} files. Each batch writes one per partition of the table.")


def _at(minute: int) -> str:
    return f"2024-03-05T{1 + minute // 60:02}:{minute % 60:02}:00Z"


def _beats(*beats: tuple[str, int]) -> list[dict[str, Any]]:
    return [{"oven": oven, "at": _at(minute), "status": "on", "temperature": 200.0 + minute} for oven, minute in beats]


def _heartbeats(sandbox: Sandbox) -> None:
    """Land heartbeats that are repeated within and across files, and a newest one of minute 15."""
    sandbox.file("a.json", _beats(("O1", 0), ("O2", 0), ("O1", 0), ("O1", 1), ("O2", 1)))
    sandbox.file("b.json", _beats(("O1", 14), ("O2", 14), ("O3", 15), ("O2", 1)))
    sandbox.keep(HEARTBEAT=HEARTBEAT)


def _late_and_again(sandbox: Sandbox) -> None:
    """Land a heartbeat that is 15 minutes late, one that is repeated after 14 minutes, and new ones."""
    sandbox.file("c.json", _beats(("O3", 1), ("O1", 1), ("O3", 16), ("O1", 14)))


def _at_last(sandbox: Sandbox) -> None:
    """Land a heartbeat that is 14 minutes late, a repeated one, and new ones."""
    sandbox.file("d.json", _beats(("O3", 2), ("O3", 16), ("O2", 15), ("O9", 30)))


MAKES = Makes(variables=("cured",), tables=("cured",), folders=("checkpoints/cured",))

HIDDEN = (
    HiddenTest(
        _heartbeats,
        ("cured",),
        later=(_late_and_again, _at_last),
        says="Your cell was run on other heartbeats, some a quarter of an hour late, some sent again.",
    ),
    HiddenTest(
        _heartbeats,
        ("cured",),
        later=(planted.crash_before_commit, _late_and_again),
        says="Your cell was run on other heartbeats, and again after a crash.",
    ),
)
