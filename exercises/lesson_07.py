"""Exercises of lesson 07: read the state, and correct a query including its past results."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lesson_exercises import planted

from streaming_classroom.exercises import Attempt, Exercise, HiddenTest, Makes, Mistake, WrongAnswer

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.hidden_tests import Sandbox

_SCHEMA = "device_id INT, mrn LONG, heartrate DOUBLE, time DOUBLE"
_SECOND_DAY = "2025-06-02.json"  # which batch 1 has read


def _landed(attempt: Attempt) -> DataFrame:
    return attempt.spark.read.schema(_SCHEMA).json(attempt.paths.landing)


# ------------------------------------------------------------------------------------- 07.1 what one batch has added

STATE_STARTER = """
%sql
DROP VIEW IF EXISTS added_vw;
-- CREATE TEMP VIEW added_vw AS
-- SELECT ...
"""

STATE_SOLUTION = """
%sql
DROP VIEW IF EXISTS added_vw;
CREATE TEMP VIEW added_vw AS
SELECT after.key.device_id, after.value.count - coalesce(before.value.count, 0) AS added
FROM state_after_1 AS after
LEFT JOIN state_after_0 AS before ON after.key = before.key
"""


def check_added(attempt: Attempt) -> None:
    """Compare with the file that batch 1 has read; first with each state alone, and with the wrong sign."""
    view = attempt.view("added_vw")
    of_day = _landed(attempt).where(f"_metadata.file_name = '{_SECOND_DAY}'").groupBy("device_id").count()
    right = of_day.withColumnRenamed("count", "added")
    of_state = {batch: _counts(attempt.spark.table(f"state_after_{batch}")) for batch in (0, 1)}
    if attempt.is_same(view, of_state[1]):
        raise Mistake(
            "The state is a running total: this is the count of batch 0 and batch 1 together. Subtract the state "
            "after batch 0."
        )
    if attempt.is_same(view, of_state[0]):
        raise Mistake("This is what batch 0 counted. What batch 1 added is the difference between the two states.")
    if attempt.is_same(view, right.selectExpr("device_id", "-added AS added")):
        raise Mistake("The sign is wrong: subtract the earlier state from the later one.")
    if set(view.columns) == set(right.columns) and (rows := view.count()) > right.count():
        raise Mistake(
            f"Your view has {rows} rows, but a state has one row per device: join the two states by their key."
        )
    attempt.compare(view, right, "added_vw")


def _counts(state: DataFrame) -> DataFrame:
    return state.selectExpr("key.device_id", "value.count AS added")


def _two_states(sandbox: Sandbox) -> None:
    """Plant a count that grows, one that stays the same, and a device that only the later state has."""
    for batch, counts in enumerate(({1: 10, 2: 20, 3: 5}, {1: 11, 2: 20, 3: 9, 7: 4})):
        rows = [((key,), (count,), key % 2) for key, count in counts.items()]
        schema = "key STRUCT<device_id: INT>, value STRUCT<count: BIGINT>, partition_id INT"
        sandbox.view(f"state_after_{batch}", sandbox.frame(rows, schema))


STATE = Exercise(
    id="07.1",
    title="What one batch added",
    starter=STATE_STARTER,
    hints=(
        "The count after batch 1 is the count after batch 0 plus what batch 1 added.",
        "Join `state_after_1` and `state_after_0` by `key`; a device's count is `value.count` in both.",
        "A new device is only in the later state: `LEFT JOIN`, and `coalesce(before.value.count, 0)`.",
    ),
    solution=STATE_SOLUTION,
    why=(
        "The state has one row per device, the count so far, and each batch updates it. The checkpoint keeps the "
        "states of earlier batches for a while, so the difference between two of them shows what a batch did, even "
        "later and without its data. A device that first appeared in batch 1 has no earlier state, so an inner join "
        "would drop it."
    ),
    check=check_added,
    hidden=(
        HiddenTest(
            _two_states,
            ("added_vw",),
            says="Your cell was run on other states: one device is new in the later one, and one has no new readings.",
        ),
    ),
    wrong=(
        WrongAnswer(
            STATE_SOLUTION.replace("- coalesce(before.value.count, 0) ", "").replace(
                "LEFT JOIN state_after_0 AS before ON after.key = before.key\n", ""
            ),
            "a running total",
        ),
        WrongAnswer(
            STATE_SOLUTION.replace("after.value.count - coalesce", "coalesce"),
            "what batch 0 counted",
        ),
        WrongAnswer(
            STATE_SOLUTION.replace(
                "after.value.count - coalesce(before.value.count, 0)", "before.value.count - after.value.count"
            ),
            "The sign is wrong",
        ),
        WrongAnswer(STATE_SOLUTION.replace(" ON after.key = before.key", ""), "join the two states by their key"),
        WrongAnswer(STATE_SOLUTION.replace(" AS added", ""), "column `added` is missing"),
        WrongAnswer(STATE_SOLUTION.replace("state_after_1", "state_after_2"), "raised an error"),
    ),
    makes=Makes(views=("added_vw",)),
)

# ------------------------------------------------------------------------------- 07.2 a correction, for the past too

CORRECT_STARTER = """
DA.exercise("07.2")  # removes what an earlier attempt created

corrected = None  # count per device again, without faulty readings, from the first day
"""

CORRECT_SOLUTION = """
DA.exercise("07.2")  # removes what an earlier attempt created

corrected = (readings.where("heartrate >= 0")
    .groupBy("device_id")
    .count()
    .writeStream
    .outputMode("complete")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/corrected")
    .trigger(availableNow=True)
    .toTable("corrected_counts"))
"""


def check_corrected(attempt: Attempt) -> None:
    """Ask how much the query has read before looking at its rows: an old state explains all of them."""
    if "without watermark" in attempt.words_of_error:
        raise Mistake(
            "The default output mode is append, but without a watermark a count is never final. To replace the table "
            "in each batch, use `complete`."
        )
    stream = attempt.stream("corrected")
    attempt.wait_for_end(
        stream, "The query must stop after it has read the available data: use `.trigger(availableNow=True)`.", 60
    )
    made, every = attempt.table("corrected_counts"), _landed(attempt)
    good = every.where("heartrate >= 0")
    _must_begin_anew(sum(stream.rows_read), good.count())
    if attempt.is_same(made, every.groupBy("device_id").count()):
        raise Mistake("The faulty readings are still counted: filter the readings, before the `groupBy`.")
    attempt.compare(made, good.groupBy("device_id").count(), "corrected_counts")
    attempt.must_have_checkpoint(stream, "corrected")


def _must_begin_anew(read: int, rows: int) -> None:
    if read < rows:
        raise Mistake(
            f"Your query has read {read:,} readings, but {rows:,} good ones have landed: with the old checkpoint, or "
            "a copy of it, the query resumes from the old counts, which include the faulty readings. Start with a "
            "new checkpoint."
        )


CORRECT = Exercise(
    id="07.2",
    title="A correction that includes past data",
    starter=CORRECT_STARTER,
    hints=(
        "The old checkpoint accepts a new filter before the count. But what does its state contain?",
        "To correct past results, reprocess all data: use a new checkpoint and a new table.",
        '`readings.where("heartrate >= 0").groupBy("device_id").count()`, then `.writeStream`, '
        '`.outputMode("complete")`, the checkpoint, the trigger, `.toTable("corrected_counts")`.',
    ),
    solution=CORRECT_SOLUTION,
    why=(
        "The old state includes the faulty readings, and no later batch removes them. With a new checkpoint, the "
        "query reads the source from its first file, which still exists. With a new table, others can keep using the "
        "old one until you have checked the new one."
    ),
    check=check_corrected,
    hidden=(
        HiddenTest(planted.two_files, ("corrected_counts",), later=(planted.third_file,), says=planted.WHAT_IS_THERE),
    ),
    wrong=(
        WrongAnswer(
            CORRECT_SOLUTION.replace(
                "\ncorrected = ",
                '\ndbutils.fs.cp(checkpoint, f"{DA.paths.checkpoints}/corrected", recurse=True)\n\ncorrected = ',
            ),
            "or a copy of it",
        ),
        WrongAnswer(CORRECT_SOLUTION.replace('f"{DA.paths.checkpoints}/corrected"', "checkpoint"), "old checkpoint"),
        WrongAnswer(CORRECT_SOLUTION.replace('.where("heartrate >= 0")', ""), "still counted"),
        WrongAnswer(
            CORRECT_SOLUTION.replace('.where("heartrate >= 0")', "").replace(
                "    .count()\n", '    .count()\n    .where("count >= 0")\n'
            ),
            "before the `groupBy`",
        ),
        WrongAnswer(CORRECT_SOLUTION.replace('    .outputMode("complete")\n', ""), "a count is never final"),
        WrongAnswer(CORRECT_SOLUTION.replace("    .trigger(availableNow=True)\n", ""), "still running"),
        WrongAnswer(CORRECT_SOLUTION.replace("checkpoints}/corrected", "checkpoints}/good_counts"), "was asked for"),
    ),
    makes=Makes(variables=("corrected",), tables=("corrected_counts",), folders=("checkpoints/corrected",)),
)

EXERCISES = (STATE, CORRECT)
