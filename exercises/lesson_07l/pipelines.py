"""Run the broken pipelines of lab 07L: each has a landing directory, days and a checkpoint."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from streaming_classroom.data.data_factory import DirectoryTarget
from streaming_classroom.data.datasets import DatasetBatch
from streaming_classroom.exercises import Attempt, MadeStream, Mistake

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.streaming import DataStreamWriter, StreamingQuery

COLUMNS = "device_id INT, mrn LONG, heartrate {}, time DOUBLE"
READINGS = COLUMNS.format("DOUBLE")


def landing_of(attempt: Attempt, pipeline: str) -> str:
    """Return the landing directory of a pipeline."""
    return f"{attempt.paths.working_dir}/{pipeline}_in"


def file_of_day(day: int) -> str:
    """Return the name of a day's file."""
    return f"2025-06-{day:02}.json"


def has_landed(attempt: Attempt, pipeline: str, day: int) -> bool:
    """Whether the file of a day has landed for a pipeline."""
    return attempt.paths.exists(f"{landing_of(attempt, pipeline)}/{file_of_day(day)}")


def land_days(attempt: Attempt, pipeline: str, *days: int) -> None:
    """Land the files of some days for a pipeline."""
    folder = DirectoryTarget(attempt.paths.local(landing_of(attempt, pipeline)), pipeline)
    source = attempt.paths.local(f"{attempt.paths.datasets}/device-readings/readings")
    for day in days:
        folder.land(DatasetBatch(file_of_day(day), {file_of_day(day): source / file_of_day(day)}), day)


def landed_readings(attempt: Attempt, pipeline: str, *days: int) -> DataFrame:
    """Return the readings that have landed for a pipeline: all, or those of some days."""
    every = attempt.spark.read.schema(READINGS).json(landing_of(attempt, pipeline))
    names = ", ".join(f"'{file_of_day(day)}'" for day in days)
    return every.where(f"_metadata.file_name IN ({names})") if days else every


def run_pipeline(
    attempt: Attempt, pipeline: str, start: Callable[[DataStreamWriter], StreamingQuery], may_say: str = ""
) -> MadeStream:
    """Run a pipeline as the lab does, with whatever is in its checkpoint; one that fails is a mistake.

    Parameters
    ----------
    start : callable
        Is given the writer, and starts it.
    may_say : str
        Words of the error that is expected.
    """
    source = (
        attempt.spark.readStream.schema(READINGS).option("maxFilesPerTrigger", 1).json(landing_of(attempt, pipeline))
    )
    checkpoint = f"{attempt.paths.checkpoints}/{pipeline}"
    stream = MadeStream(start(source.writeStream.option("checkpointLocation", checkpoint).trigger(availableNow=True)))
    ended = stream.has_ended(min(40.0, attempt.left))
    if not ended:
        stream.query.stop()
        raise Mistake("The next run of the pipeline did not finish in time.")
    if not (may_say and may_say in str(stream.error)):
        attempt.must_not_have_failed(stream)
    return stream


def must_not_have_raised(attempt: Attempt) -> None:
    """Raise a mistake if the learner's cell has raised an error."""
    if attempt.words_of_error:
        raise Mistake(f"Your cell raised an error: {attempt.words_of_error}")
