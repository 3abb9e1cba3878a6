"""Check exercise 05L.1, "An offer that keeps up"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lesson_exercises import planted
from lesson_exercises.lesson_05l.readings import landed_readings

from streaming_classroom.exercises import Attempt, HiddenTest, MadeStream, Makes, Mistake, interval_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.exercises.sandbox import Sandbox

_EVERY = 2  # seconds between two batches of `small`
_LANDING = 2  # files per second


def check(attempt: Attempt) -> None:
    """Check the files per batch that follow from the limit, and the files that wait after an hour."""
    stream = attempt.stream("small")
    attempt.must_not_have_failed(stream)
    if stream.trigger in ("availableNow", "once"):
        raise Mistake(f"`{stream.trigger}` makes a job that ends. This offer is a live stream.")
    if stream.trigger is not None and interval_of(stream.trigger) != _EVERY:  # None over Connect
        raise Mistake(
            f"Your stream has the trigger `{stream.trigger}`. The offer starts a batch every two seconds: set a "
            "`processingTime` trigger."
        )
    if not stream.is_active:
        raise Mistake("Your stream was stopped: leave it running.")
    attempt.wait_until_idle(stream)
    landed = landed_readings(attempt)
    attempt.must_have_checkpoint(stream, "small")
    attempt.must_have_read(stream, landed.count())
    _must_keep_up(_files_of_first_batch(stream, landed), needed=_EVERY * _LANDING)


def _files_of_first_batch(stream: MadeStream, landed: DataFrame) -> int:
    files = landed.groupBy("_metadata.file_path", "_metadata.file_modification_time").count()
    rows = 0
    for number, file in enumerate(files.orderBy("file_modification_time").collect(), 1):
        rows += file["count"]
        if rows >= stream.rows_read[0]:
            return number
    return files.count()


def _must_keep_up(files: int, needed: int) -> None:
    if files < needed:
        left = (needed - files) * 3600 // _EVERY
        raise Mistake(
            f"A batch reads {_files(files)}, and {needed} land in the two seconds until the next one: the stream falls "
            f"behind, and after an hour {left:,} files are waiting."
        )
    if files > needed:
        raise Mistake(
            f"The first batch has read {_files(files)}. The stream keeps up, but a smaller limit keeps up as well: how "
            "many files land between the starts of two batches?"
        )


def _files(number: int) -> str:
    return f"{number} file" + ("s" if number != 1 else "")


def _landings(sandbox: Sandbox) -> None:
    """Land five files, and keep the function that reads them, as the lab has it."""
    planted.five_files(sandbox)
    sandbox.keep(
        read=lambda path=sandbox.paths.landing, **options: planted.files_stream(sandbox, path, **options),
    )


MAKES = Makes(variables=("small",), folders=("checkpoints/small",))

HIDDEN = (
    HiddenTest(
        _landings,
        (planted.batch_sizes("small"),),
        later=(planted.three_more_files,),
        says="Your cell was run on five other files, and on three more after a restart.",
    ),
)
