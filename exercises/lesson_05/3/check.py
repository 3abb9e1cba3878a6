"""Check exercise 05.3, "From a nightly job to a live table"."""

from __future__ import annotations

from lesson_exercises import planted
from lesson_exercises.lesson_05.readings import landed_readings

from streaming_classroom.exercises import Attempt, HiddenTest, MadeStream, Makes, Mistake, interval_of


def check(attempt: Attempt) -> None:
    """Check both triggers, then the rows that each batch has read: the tables alone do not show the limit."""
    job, live = attempt.stream("job"), attempt.stream("live")
    _must_be_a_job(attempt, job)
    _must_be_live(attempt, live)
    attempt.wait_until_idle(live)
    made, landed = attempt.table("ward_history"), landed_readings(attempt)
    if sum(job.rows_read) and sum(live.rows_read) >= landed.count():
        raise Mistake(
            "`live` has read every file again, and `ward_history` has the job's rows twice. Which files were read is "
            "in the checkpoint: give both queries the same one."
        )
    attempt.must_have_checkpoint(job, "ward_history")
    attempt.must_have_checkpoint(live, "ward_history")
    _must_be_two_per_batch(job.rows_read, attempt.rows_of_files(landed))
    attempt.compare(made, landed, "ward_history")


def _must_be_a_job(attempt: Attempt, job: MadeStream) -> None:
    if job.trigger == "once":
        raise Mistake(
            "`job` has the trigger `once`, which reads all files in one batch, whatever the limit is. Use "
            "`availableNow`."
        )
    if job.trigger not in ("availableNow", None):
        raise Mistake(
            "`job` does not end by itself: it waits for more files, and what lands is in this run as well. Give it "
            "`.trigger(availableNow=True)`."
        )
    attempt.wait_for_end(job, "A job must stop after it has processed what was there.")


def _must_be_live(attempt: Attempt, live: MadeStream) -> None:
    attempt.must_not_have_failed(live)
    if live.trigger in ("availableNow", "once"):
        raise Mistake(
            f"`live` has the trigger `{live.trigger}`, which makes a job that ends. The table must stay live."
        )
    if interval_of(live.trigger) is not None:
        raise Mistake(
            f"`live` has an interval of {interval_of(live.trigger):g} s, so a file waits for the next multiple of it. "
            "Which trigger starts a batch as soon as the last one is done?"
        )
    if not live.is_active:
        raise Mistake("`live` was stopped: leave it running.")


def _must_be_two_per_batch(batches: list[int], sizes: list[int]) -> None:
    files = next((n for n in range(len(sizes) + 1) if sum(sizes[:n]) == sum(batches)), None)
    if files is None or len(batches) == (files + 1) // 2:
        return
    if len(batches) == 1:
        raise Mistake(
            f"One batch of `job` has read all {files} files. The limit is an option of the reader: set it before "
            "`.json(...)`."
        )
    if len(batches) == files:
        raise Mistake(
            "Each batch of `job` has read one file, which is the limit in `readings`. Define a new stream over the "
            "folder, with a limit of two."
        )
    raise Mistake(f"`job` has run {len(batches)} batches for {files} files. The exercise asks for two files per batch.")


MAKES = Makes(
    variables=("job", "live"),
    tables=("ward_history",),
    folders=("checkpoints/ward_history",),
)

HIDDEN = (
    HiddenTest(
        planted.five_files,
        ("ward_history", planted.batch_sizes("job"), planted.batch_sizes("live")),
        later=(planted.three_more_files,),
        says="Your cell was run on five other files, and on three more after a restart.",
    ),
)
