"""Check exercise 05L.4, "The backlog"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lesson_exercises import planted
from lesson_exercises.lesson_05l.readings import SCHEMA, landed_readings

from streaming_classroom.exercises import Attempt, HiddenTest, Makes, Mistake

if TYPE_CHECKING:
    from streaming_classroom.exercises.sandbox import Sandbox

_MOST_ROWS = 4_000  # of a batch, for the small machine of 05L.4


def check(attempt: Attempt) -> None:
    """Check the largest batch, then the number of batches: both follow from the limit."""
    stream = attempt.stream("backlog")
    if stream.trigger == "once":
        raise Mistake("`once` reads the whole backlog in one batch, whatever the limit is: use `availableNow`.")
    attempt.wait_for_end(stream, "A backlog is finite, so its job must end: `.trigger(availableNow=True)`.")
    made = attempt.table("history")
    archive = attempt.spark.read.schema(SCHEMA).json(attempt.paths.archive)
    if attempt.is_same(made, landed_readings(attempt)):
        raise Mistake("`history` has the files that landed for the ward. Read the backlog from `DA.paths.archive`.")
    attempt.must_have_read(stream, archive.count())
    attempt.compare(made, archive, "history")
    _must_fit(stream.rows_read, attempt.rows_of_files(archive))
    attempt.must_have_checkpoint(stream, "backlog")


def _must_fit(batches: list[int], sizes: list[int]) -> None:
    if len(batches) == 1:
        raise Mistake(
            f"The rows are right, but one batch has read all {batches[0]:,} of them. The limit is an option of the "
            "reader: set it before `.json(...)`."
        )
    if max(batches) > _MOST_ROWS:
        raise Mistake(
            f"A batch had {max(batches):,} rows, but only {_MOST_ROWS:,} fit into the machine: use fewer files per "
            "batch."
        )
    largest = sorted(sizes, reverse=True)
    at_a_time = max(number for number in range(1, len(sizes) + 1) if sum(largest[:number]) <= _MOST_ROWS)
    fewest = -(-len(sizes) // at_a_time)
    if len(batches) > fewest:
        raise Mistake(
            f"Every batch fits, but there were {len(batches)} batches where {fewest} are enough: the largest had "
            f"{max(batches):,} rows. Use more files per batch."
        )


def _archive(sandbox: Sandbox) -> None:
    """Put seven files of three to nine readings into the archive; several files have the same readings."""
    sandbox.keep(schema=SCHEMA)
    sandbox.paths.archive = f"{sandbox.paths.working_dir}/archive"
    for number in range(7):
        planted.reading_file(sandbox, f"old-{number}.json", planted.FIRST[: number + 3], number, sandbox.paths.archive)


def _four_more_days(sandbox: Sandbox) -> None:
    """Add files of two, three, four and five readings: only a limit of three reads nine rows, then five."""
    for number in range(7, 11):
        planted.reading_file(sandbox, f"old-{number}.json", planted.SECOND[: number - 5], number, sandbox.paths.archive)


MAKES = Makes(variables=("backlog",), tables=("history",), folders=("checkpoints/backlog",))

HIDDEN = (
    HiddenTest(
        _archive,
        ("history", planted.batch_sizes("backlog")),
        later=(_four_more_days,),
        says="Your cell was run on another archive, with readings sent twice, and on four more files after a restart.",
    ),
)
