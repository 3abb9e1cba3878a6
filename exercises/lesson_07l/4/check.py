"""Check exercise 07L.4, "The file that changed"."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from lesson_exercises import planted
from lesson_exercises.lesson_07l.pipelines import COLUMNS, landing_of

from streaming_classroom.exercises import Attempt, HiddenTest, MadeStream, Makes, Mistake, NotTried

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.exercises.sandbox import Sandbox

_TEXTS = COLUMNS.format("STRING")
_CAST_FAILS = ("CAST_INVALID_INPUT", "TASK_WRITE_FAILED")  # the second where it is a task of the write that casts


def check(attempt: Attempt) -> None:
    """Compare the rows of the batch that the restart runs again: they prove the repair."""
    stream = _vitals_stream(attempt)
    stream.has_ended(min(30.0, attempt.left))
    if any(reason in str(stream.error) for reason in _CAST_FAILS):
        raise Mistake("Your query fails on the new file, as the old one did. Remove the unit before the cast.")
    attempt.wait_for_end(stream, "The pipeline is a job that ends: use `.trigger(availableNow=True)`.")
    made, right = attempt.table("vitals"), _vitals(attempt)
    if attempt.is_same(made, right):
        attempt.must_have_checkpoint(stream, "vitals")
        return
    before, new = _vitals(attempt, is_new=False), _vitals(attempt, is_new=True)
    if "heartrate" in made.columns and (lost := made.where("heartrate IS NULL").count()):
        raise Mistake(
            f"The query no longer fails, but {lost} readings have lost their heart rate: a value that cannot be cast, "
            "or does not have the schema's type, becomes NULL. Remove the unit instead."
        )
    if attempt.is_same(made, right.union(before)):
        raise Mistake(
            "The first two days are there twice: with a different checkpoint this is a new query, which reads all "
            "files. Use the old checkpoint: it contains these days, and the failed batch is in its offset log."
        )
    if attempt.is_same(made, new):
        raise Mistake(
            "The first two days are gone: the table was created again, but the checkpoint says that they have been "
            "processed. Keep the table."
        )
    if not attempt.is_same(made, before) and not before.exceptAll(made).limit(1).collect():
        raise Mistake(
            f"Of the new file's {new.count():,} readings only {new.intersect(made).count():,} are in the table with "
            "their own values, and the checkpoint now says that the file has been processed: the others are lost. Keep "
            "every row, and remove only the unit."
        )
    attempt.compare(made, right, "vitals")


def _vitals_stream(attempt: Attempt) -> MadeStream:
    try:
        return attempt.stream("vitals")
    except NotTried:
        if attempt.is_same(attempt.table("vitals"), _vitals(attempt, is_new=False)):
            raise
        raise Mistake(
            "The table has changed, but `vitals` is None: assign the result of `.toTable(...)` to it. "
            "`awaitTermination()` returns None, so call it on a separate line."
        ) from None


def _vitals(attempt: Attempt, is_new: bool | None = None) -> DataFrame:
    """Return the right rows: all, those of the file that changed, or those of the files before it."""
    texts = attempt.spark.read.schema(_TEXTS).json(landing_of(attempt, "vitals"))
    if is_new is not None:
        texts = texts.where(f"startswith(_metadata.file_name, '2025-06-') <> {is_new}")
    return texts.selectExpr("device_id", "mrn", "double(replace(heartrate, ' bpm', '')) AS heartrate", "time")


_MIXED = ("61.5 bpm", "60", None, "-0.5 bpm", "112.0")


def _vitals_that_stopped(sandbox: Sandbox) -> None:
    """Run the pipeline over one file, then over one whose heart rates have a unit: it fails."""
    from pyspark.errors import StreamingQueryException  # which reading a lesson's exercises does without

    folder, writer = f"{sandbox.paths.working_dir}/vitals_in", None
    planted.reading_file(sandbox, "old-1.json", planted.FIRST[:4], 1, folder)
    checkpoint = f"{sandbox.paths.checkpoints}/vitals"
    for mode in ("PERMISSIVE", "FAILFAST"):
        writer = planted.files_stream(sandbox, folder, maxFilesPerTrigger=1, mode=mode).writeStream
        query = writer.option("checkpointLocation", checkpoint).trigger(availableNow=True).toTable("vitals")
        with suppress(StreamingQueryException):  # the second run fails at the new file, as the pipeline does
            planted.run_out(query)
        mixed = [(number, 900 + number, rate, planted.MIDNIGHT) for number, rate in enumerate(_MIXED)]
        planted.reading_file(sandbox, "old-2.json", mixed, 2, folder)
    texts = sandbox.spark.readStream.schema(_TEXTS).option("maxFilesPerTrigger", 1).json(folder)
    sandbox.view("vitals_text_vw", texts)
    sandbox.keep(break_vitals=lambda: None)


def _one_more_file(sandbox: Sandbox) -> None:
    """Land a third file after the restart, whose heart rates are numbers without a unit."""
    planted.reading_file(sandbox, "old-3.json", planted.THIRD, 3, f"{sandbox.paths.working_dir}/vitals_in")


MAKES = Makes(
    variables=("vitals",),
    tables=("vitals",),
    folders=("vitals_in", "checkpoints/vitals", "checkpoints/vitals_2"),
    by_starter=True,
)

HIDDEN = (
    HiddenTest(
        _vitals_that_stopped,
        ("vitals",),
        later=(_one_more_file,),
        says="Your cell was run on other files, with and without the unit, and on one more after a restart.",
    ),
)
