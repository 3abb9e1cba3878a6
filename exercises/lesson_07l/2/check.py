"""Check exercise 07L.2, "The checkpoint that was deleted"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lesson_exercises import planted
from lesson_exercises.lesson_07l.pipelines import (
    file_of_day,
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

_NO_REPAIR = "SELECT 'a statement that leaves each row of archive once'"
_NEXT = 3  # the day that the check lands


def check(attempt: Attempt) -> None:
    """Compare the rows, then land the next day and run the pipeline with the learner's checkpoint."""
    repair = attempt.value("repair")
    if any(table.isTemporary and table.name == "archive" for table in attempt.spark.catalog.listTables()):
        raise Mistake(
            "`archive` is now a temporary view, which hides the table. Run `DROP VIEW archive`, and repair the table."
        )
    must_not_have_raised(attempt)
    checked_before = has_landed(attempt, "archive", _NEXT)
    landed = landed_readings(attempt, "archive")
    if not attempt.is_same(attempt.table("archive"), landed):
        if checked_before:
            raise Mistake(_next_day_is_wrong())
        _say_what_is_wrong_with_the_archive(attempt, landed, repair)
    if not attempt.paths.exists(f"{attempt.paths.checkpoints}/archive"):
        raise Mistake(
            "The table is right, but its checkpoint is gone: the next run would read all files again. Keep the "
            "checkpoint of the second start, which contains all files that are in the table."
        )
    if not checked_before:
        land_days(attempt, "archive", _NEXT)
        run_pipeline(attempt, "archive", lambda writer: writer.toTable("archive"))
    if not attempt.is_same(attempt.table("archive"), landed_readings(attempt, "archive")):
        raise Mistake(_next_day_is_wrong())


def _next_day_is_wrong() -> str:
    return (
        f"The table was right until {file_of_day(_NEXT)} landed and the pipeline ran; now it has duplicate rows. The "
        "checkpoint does not know what is in the table: keep the checkpoint of the second start."
    )


def _say_what_is_wrong_with_the_archive(attempt: Attempt, landed: DataFrame, repair: str) -> None:
    made = attempt.table("archive")
    if attempt.is_same(made, landed.union(landed)):
        if repair == _NO_REPAIR:
            raise NotTried
        raise Mistake(
            "`archive` has every row twice, as before: your statement did not change the table, or a run read all "
            "files again. Keep the checkpoint, and keep one of each row."
        )
    if not made.limit(1).collect():
        if attempt.paths.exists(f"{attempt.paths.checkpoints}/archive"):
            raise Mistake(
                "`archive` is empty, and its checkpoint says that all files have been read: no run will restore the "
                "rows. Keep one of each row instead."
            )
        raise Mistake("`archive` is empty, and no run has filled it yet. Run the pipeline, or keep one of each row.")
    attempt.compare(made, landed, "archive")


def _archive_twice(sandbox: Sandbox) -> None:
    """Load two files, lose the checkpoint, and load them again."""
    folder = f"{sandbox.paths.working_dir}/archive_in"
    # No reading was sent twice: who goes back to the version before the second load has the right rows, too.
    for number, rows in enumerate((planted.FIRST[:9], planted.SECOND[:4]), 1):
        planted.reading_file(sandbox, f"old-{number}.json", rows, number, folder)
    for checkpoint in ("lost", "archive"):
        writer = planted.files_stream(sandbox, folder, maxFilesPerTrigger=1).writeStream.trigger(availableNow=True)
        query = writer.option("checkpointLocation", f"{sandbox.paths.checkpoints}/{checkpoint}").toTable("archive")
        planted.run_out(query)
    sandbox.keep(break_archive=lambda: None)


MAKES = Makes(
    variables=("repair",), tables=("archive",), folders=("archive_in", "checkpoints/archive"), by_starter=True
)

HIDDEN = (HiddenTest(_archive_twice, ("archive",), says="Your cell was run on another archive that was loaded twice."),)
