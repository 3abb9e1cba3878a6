"""Check exercise 07L.3, "The batch that was written twice"."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from lesson_exercises import planted
from lesson_exercises.lesson_07l.pipelines import (
    READINGS,
    has_landed,
    land_days,
    landed_readings,
    must_not_have_raised,
    run_pipeline,
)

from streaming_classroom.exercises import Attempt, HiddenTest, Makes, Mistake, NotTried

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.exercises.sandbox import Sandbox

_POWER = "the power fails"
_WITH_POWER_CUT, _AFTER_IT = 3, 4  # the days that the check lands


def check(attempt: Attempt) -> None:
    """Compare the rows, then land two more days: the first one with a power cut after its write, then a restart."""
    save = attempt.value("save_readings")
    must_not_have_raised(attempt)
    checked_before = has_landed(attempt, "ward", _AFTER_IT)
    if not checked_before:
        _must_be_repaired(attempt, save)
        land_days(attempt, "ward", _WITH_POWER_CUT, _AFTER_IT)
        run_pipeline(attempt, "ward", lambda writer: writer.foreachBatch(_then_the_power_fails(save)).start(), _POWER)
    # The restart: it repeats the batch whose commit the power cut has prevented.
    run_pipeline(attempt, "ward", lambda writer: writer.foreachBatch(save).start())
    _must_have_saved_once(attempt)


def _then_the_power_fails(save: Callable[[DataFrame, int], object]) -> Callable[[DataFrame, int], None]:
    def save_and_die(batch: DataFrame, batch_id: int) -> None:
        save(batch, batch_id)
        raise RuntimeError(_POWER)

    return save_and_die


def _must_be_repaired(attempt: Attempt, save: Any) -> None:
    made, landed = attempt.table("ward"), landed_readings(attempt, "ward")
    code = getattr(save, "__code__", None)
    is_starter = code is not None and not code.co_names  # it calls nothing
    if attempt.is_same(made, landed.union(landed_readings(attempt, "ward", 2))):
        if is_starter:
            raise NotTried
        raise Mistake(
            "`ward` has the second day twice, as before. Your function handles only future batches; repair the "
            "existing rows with a statement, as in the archive."
        )
    attempt.compare(made, landed, "ward")
    if is_starter:
        raise Mistake(
            "The table is right, but `save_readings` adds nothing to it, so the next days are lost. Write the batch."
        )


def _must_have_saved_once(attempt: Attempt) -> None:
    made, landed = attempt.table("ward"), landed_readings(attempt, "ward")
    if attempt.is_same(made, landed):
        return
    old, third, fourth = (landed_readings(attempt, "ward", *days) for days in ((1, 2), (3,), (4,)))
    if attempt.is_same(made, landed.union(third)):
        raise Mistake(
            "The table was right until the power failed again: your function wrote the batch of the third day, "
            "received the same batch after the restart, and wrote it again. Make the write idempotent."
        )
    if attempt.is_same(made, old.union(third)):
        raise Mistake(
            "The third day is there once, and the fourth is missing. Delta skips a write whose `txnVersion` it has "
            "already committed. Use a number that increases with each batch, such as `batch_id`."
        )
    if attempt.is_same(made, old):
        raise Mistake(
            "No row of a new day was written to the table. A reading is identified by its device and its time: a MERGE "
            "must compare both."
        )
    if attempt.is_same(made, fourth):
        raise Mistake(
            '`ward` has the last batch only: each batch overwrites all earlier rows. Write with `.mode("append")`.'
        )
    attempt.compare(made, landed, "ward")


def _ward_with_a_batch_twice(sandbox: Sandbox) -> None:
    """Plant a table that has four readings once, and the two readings of its last batch twice."""
    sandbox.append("ward", [*planted.FIRST[:4], *planted.SECOND[:2], *planted.SECOND[:2]], READINGS)
    sandbox.keep(break_ward=lambda: None)


def _batches_again(sandbox: Sandbox) -> None:
    """Call the function for a batch, again in a new process, for a newer batch, and for the first one once more.

    The newer batch has a reading of another device at the time of a reading that the table has.
    """
    newer = (*planted.FIRST[4:7], (9, 909, 64.0, planted.MIDNIGHT + 60))
    third, fourth = (sandbox.frame(rows, READINGS) for rows in (planted.THIRD, newer))
    sandbox.value("save_readings")(third, 3)
    sandbox.run_again()
    for batch, number in ((third, 3), (fourth, 4), (third, 3)):
        sandbox.value("save_readings")(batch, number)


MAKES = Makes(variables=("save_readings",), tables=("ward",), folders=("ward_in", "checkpoints/ward"), by_starter=True)

HIDDEN = (
    HiddenTest(
        _ward_with_a_batch_twice,
        ("ward",),
        after=_batches_again,
        says="Your cell was run on another ward: a batch came again after a restart, an old one after a newer "
        "one, and two devices have measured at the same time.",
    ),
)
