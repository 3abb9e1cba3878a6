"""Check exercise 14X.2, "Colors without state"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lesson_exercises import planted

from streaming_classroom.exercises import Attempt, HiddenTest, Makes, Mistake

if TYPE_CHECKING:
    from streaming_classroom.exercises.sandbox import Sandbox


def check(attempt: Attempt) -> None:
    """Check the state of the query, then compare with the newest message per key."""
    stream = attempt.stream("kept")
    attempt.wait_for_end(
        stream, "The query must stop after it has processed the available data: use `.trigger(availableNow=True)`.", 60
    )
    attempt.must_have_checkpoint(stream, "kept")
    progress = stream.query.lastProgress
    if progress and progress["stateOperators"]:
        raise Mistake(
            "Your query has a state, which keeps every key forever. Aggregate inside the function of `foreachBatch`, "
            "where only the batch is aggregated, and let the table remember."
        )
    made = attempt.table("kept_colors")
    if set(made.columns) == {"user", "color"}:
        if made.where("color IS NULL").count():
            raise Mistake("A user without a color is in the table. A message without a value deletes its key's row.")
        if made.count() > made.select("user").distinct().count():
            raise Mistake("A user is in the table more than once. A row with the same user must be replaced: `MERGE`.")
    newest = attempt.messages("colors").selectExpr("key AS user", "value AS color", "offset")
    newest.createOrReplaceTempView("_newest_14x")
    right = attempt.spark.sql(
        "SELECT * FROM (SELECT user, max_by(color, offset) AS color FROM _newest_14x GROUP BY user) "
        "WHERE color IS NOT NULL"
    )
    attempt.compare(made, right, "kept_colors")


_MESSAGES = "key BINARY, value BINARY, offset LONG"
#: The clock of the sender runs backwards, so that only the offset tells the order.
_AS_IN_KAFKA = (
    "*",
    "'planted' AS topic",
    "0 AS partition",
    "timestamp_millis(1000 - offset) AS timestamp",
    "0 AS timestampType",
)


def _colors(sandbox: Sandbox) -> None:
    """Plant messages: a newest color that is first in the alphabet, tombstones, a key that returns."""
    rows = [
        (b"ann", b"red", 0), (b"ann", b"blue", 1), (b"bob", None, 2), (b"cleo", b"red", 3), (b"cleo", None, 4),
        (b"dan", b"red", 5), (b"eve", None, 6), (b"eve", b"green", 7), (b"fay", b"red", 8),
    ]  # fmt: skip
    sandbox.append("planted", rows, _MESSAGES)
    sandbox.view("colors_vw", sandbox.stream("planted").selectExpr(*_AS_IN_KAFKA))


def _more_colors(sandbox: Sandbox) -> None:
    """Append tombstones of a known and an unknown user, two colors of one user, and a user who returns."""
    rows = [
        (b"dan", None, 9),
        (b"ann", b"black", 10),
        (b"ann", b"amber", 11),
        (b"cleo", b"pink", 12),
        (b"gus", None, 13),
    ]
    sandbox.append("planted", rows, _MESSAGES)


MAKES = Makes(variables=("kept",), tables=("kept_colors",), folders=("checkpoints/kept",), by_starter=True)

HIDDEN = (
    HiddenTest(
        _colors,
        ("kept_colors",),
        later=(_more_colors, planted.crash_before_commit),
        says="Your cell was run on other messages: users who come back, tombstones of unknown ones, times that "
        "contradict the offsets, a batch twice.",
    ),
)
