"""Exercise of companion 14X: a compacted topic applied to a table, without state."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lesson_exercises import planted

from streaming_classroom.exercises import Attempt, Exercise, HiddenTest, Makes, Mistake, WrongAnswer

if TYPE_CHECKING:
    from streaming_classroom.hidden_tests import Sandbox

# ------------------------------------------------------------------------------------ 14X.1 colors without state

STARTER = """
DA.exercise("14X.1")  # removes what an earlier attempt created
spark.sql("CREATE TABLE kept_colors (user STRING, color STRING)")

kept = None  # a stream that changes only the rows of a batch's users
"""

SOLUTION = """
DA.exercise("14X.1")  # removes what an earlier attempt created
spark.sql("CREATE TABLE kept_colors (user STRING, color STRING)")


def apply_colors(batch, batch_id):
    (batch
        .groupBy("key")
        .agg(F.max_by("value", "offset").alias("value"))
        .selectExpr("CAST(key AS STRING) AS user", "CAST(value AS STRING) AS color")
        .createOrReplaceTempView("newest"))
    batch.sparkSession.sql(\"\"\"
        MERGE INTO kept_colors AS old USING newest AS new ON old.user = new.user
        WHEN MATCHED AND new.color IS NULL THEN DELETE
        WHEN MATCHED THEN UPDATE SET *
        WHEN NOT MATCHED AND new.color IS NOT NULL THEN INSERT *\"\"\")


kept = (spark.table("colors_vw")
    .writeStream
    .foreachBatch(apply_colors)
    .option("checkpointLocation", f"{DA.paths.checkpoints}/kept")
    .trigger(availableNow=True)
    .start())
"""

_BY_STATE = """
DA.exercise("14X.1")  # removes what an earlier attempt created

kept = (spark.table("colors_now_vw")
    .where("color IS NOT NULL")
    .writeStream
    .outputMode("complete")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/kept")
    .trigger(availableNow=True)
    .toTable("kept_colors"))
"""


def check(attempt: Attempt) -> None:
    """Look at the query's state, then compare with the newest message of each key."""
    stream = attempt.stream("kept")
    attempt.wait_for_end(stream, "It processes what is there, and ends: use `.trigger(availableNow=True)`.", 60)
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
    """Make a topic's messages: a color that is newest and first by the alphabet, tombstones, a key that comes back."""
    rows = [
        (b"ann", b"red", 0), (b"ann", b"blue", 1), (b"bob", None, 2), (b"cleo", b"red", 3), (b"cleo", None, 4),
        (b"dan", b"red", 5), (b"eve", None, 6), (b"eve", b"green", 7), (b"fay", b"red", 8),
    ]  # fmt: skip
    sandbox.append("planted", rows, _MESSAGES)
    sandbox.view("colors_vw", sandbox.stream("planted").selectExpr(*_AS_IN_KAFKA))


def _more_colors(sandbox: Sandbox) -> None:
    """Append tombstones of a known user and an unknown one, two colors of one user, and a user who comes back."""
    rows = [
        (b"dan", None, 9),
        (b"ann", b"black", 10),
        (b"ann", b"amber", 11),
        (b"cleo", b"pink", 12),
        (b"gus", None, 13),
    ]
    sandbox.append("planted", rows, _MESSAGES)


WITHOUT_STATE = Exercise(
    id="14X.1",
    title="Colors without state",
    starter=STARTER,
    hints=(
        "`foreachBatch` gives you the messages of a batch as an ordinary DataFrame. Reduce them to one row per key.",
        "The newest message of a key is the one with the highest offset: `max_by`, as in `colors_now_vw`.",
        "`MERGE` has three cases: a row of a user without a color, a row of a user with one, and no row yet.",
    ),
    solution=SOLUTION,
    why=(
        "The table holds what the state would hold, without the tombstoned keys, so the query needs none. The batch is "
        "reduced to one row per key, because a `MERGE` must not find two sources for one row, and because only the "
        "newest counts. Running a batch again writes the same rows again."
    ),
    check=check,
    hidden=(
        HiddenTest(
            _colors,
            ("kept_colors",),
            later=(_more_colors, planted.crash_before_commit),
            says="Your cell was run on other messages: users who come back, tombstones of unknown ones, times that "
            "contradict the offsets, a batch twice.",
        ),
    ),
    wrong=(
        WrongAnswer(_BY_STATE, "has a state"),
        WrongAnswer(SOLUTION.replace("        WHEN MATCHED AND new.color IS NULL THEN DELETE\n", ""), "`kept_colors`"),
        WrongAnswer(SOLUTION.replace(" AND new.color IS NOT NULL THEN INSERT", " THEN INSERT"), "A user without"),
        WrongAnswer(SOLUTION.replace('F.max_by("value", "offset")', 'F.max("value")'), "kept_colors"),
        WrongAnswer(SOLUTION.replace('"value", "offset"', '"value", "timestamp"'), "contradict the offsets"),
        WrongAnswer(SOLUTION.replace("    .trigger(availableNow=True)\n", ""), "still running"),
        WrongAnswer(SOLUTION.replace("checkpoints}/kept", "checkpoints}/colors"), "belongs to another query"),
    ),
    makes=Makes(variables=("kept",), tables=("kept_colors",), folders=("checkpoints/kept",), by_starter=True),
)

EXERCISES = (WITHOUT_STATE,)
