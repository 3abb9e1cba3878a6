"""Check exercise 02L.5, "Stop it and restart it"."""

from __future__ import annotations

from typing import Any

from lesson_exercises.lesson_02l.recordings import clean, must_poll_every_second

from streaming_base.progress_reports import reports_since, rows_read
from streaming_classroom.exercises import Attempt, MadeStream, Makes, Mistake, NotTried


def check(attempt: Attempt) -> None:
    """Check that both runs are of one query, then its table, then what was read from its reports."""
    if "already active" in attempt.words_of_error:
        raise Mistake(
            "The first run was still active when the second one started: call `first_run.stop()` before you start "
            "the second."
        )
    second, first = attempt.stream("second_run"), attempt.stream("first_run")
    _must_be_two_runs(first, second)
    attempt.must_not_have_failed(second)
    must_poll_every_second(second)
    if second.query.name != "rehearsal":
        raise Mistake(f'Your stream has the name `{second.query.name}`: give it `.queryName("rehearsal")`.')
    attempt.wait_until_idle(second)
    if not second.rows_read:
        raise Mistake(
            "The first run has read everything, so nothing is left for the second. Stop the first run as soon as its "
            "first batch is done."
        )
    attempt.compare(attempt.table("rehearsal"), clean(attempt), "rehearsal")
    attempt.must_have_checkpoint(second, "rehearsal")
    for name in ("first_batch", "rows_read"):
        attempt.must_compute(
            name, "compute it from the progress reports of `second_run`, because the number differs from run to run."
        )
    _must_tell_the_first_batch(_told(attempt, "first_batch"), _numbers(second))
    _must_tell_the_rows(_told(attempt, "rows_read"), first.rows_read, second.rows_read)


def _must_be_two_runs(first: MadeStream, second: MadeStream) -> None:
    if first.query.runId == second.query.runId:
        raise Mistake(
            "`second_run` is `first_run` itself. A stopped query cannot be reused: start the same definition again."
        )
    if first.query.id != second.query.id:
        raise Mistake(
            "The second run is another query: it has a different checkpoint, so it started with batch 0 and "
            "reprocessed the data of the first run. Give both runs the same checkpoint."
        )
    if not first.rows_read:
        raise Mistake(
            "The first run was stopped before its first batch was done. Starting a query returns immediately: wait "
            "until `first_run.lastProgress` is no longer None."
        )


def _numbers(stream: MadeStream) -> list[int]:
    """Return the numbers of the batches that have read rows."""
    return [report["batchId"] for report in reports_since(stream.query, None) if rows_read(report)]


def _told(attempt: Attempt, name: str) -> Any:
    try:
        return attempt.value(name)
    except (NotTried, Mistake):  # whose words are about streams
        raise Mistake(
            f"The second run resumed correctly. What is missing is `{name}`: compute it from the progress reports."
        ) from None


def _must_tell_the_first_batch(told: Any, numbers: list[int]) -> None:
    if told == numbers[0]:
        return
    if not isinstance(told, int):
        raise Mistake(f"`first_batch` is a {type(told).__name__}; it must be a number: a report's `batchId`.")
    if told == 0:
        raise Mistake(
            "Batch 0 belongs to the first run. The second run resumed with the next batch: use the reports of "
            "`second_run`."
        )
    if told >= numbers[-1]:
        raise Mistake(
            f"{told} is the `batchId` in the newest report. The first report of the run is "
            "`second_run.recentProgress[0]`."
        )
    raise Mistake(f"The second run started with batch {numbers[0]}, and `first_batch` is {told}.")


def _must_tell_the_rows(told: Any, first: list[int], second: list[int]) -> None:
    if told == sum(second):
        return
    if told in (sum(first), sum(first) + sum(second)):
        raise Mistake(
            f"{told:,} is the number of rows in the first run, or in both runs. Add up the batches of `second_run` "
            "alone."
        )
    if told in [sum(second[:batches]) for batches in range(len(second))]:
        raise Mistake(
            f"After {told:,} rows the second run was not finished: wait with `second_run.processAllAvailable()`."
        )
    raise Mistake(
        f"`rows_read` is {told}, but the second run read {sum(second):,} rows. Add up the rows of all its batches."
    )


MAKES = Makes(
    variables=("first_run", "second_run", "first_batch", "rows_read", "rehearsal"),
    streams=("rehearsal",),
    tables=("rehearsal",),
    folders=("checkpoints/rehearsal", "checkpoints/rehearsal_2"),
)
