"""Check exercise 04.1, "Write the files again"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lesson_exercises import planted
from lesson_exercises.lesson_04.readings import MUST_STOP, SCHEMA, landed_readings

from streaming_classroom.exercises import Attempt, HiddenTest, Makes, Mistake

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.exercises import Sandbox

_WRONG_LIMIT = "heartrate < 60"  # of the colleague's query


def check(attempt: Attempt) -> None:
    """Check the rows; if they are wrong, name the log that has kept the query from writing."""
    stream = attempt.stream("faulty_files")
    attempt.wait_for_end(stream, MUST_STOP)
    if stream.sink.startswith("Delta"):
        raise Mistake('You wrote a Delta table, which is the default here. To write JSON files, set `.format("json")`.')
    made, landed = _files_in(attempt), landed_readings(attempt)
    faulty = landed.where("heartrate < 0")
    if made is not None and attempt.is_same(made, faulty):
        return
    if not stream.batches:
        raise Mistake(
            "Your query has run no batch: its checkpoint says that all files are read, whatever the filter is. To read "
            "them again, it needs a checkpoint that no query has used."
        )
    if made is None:
        raise Mistake("`directory` does not exist. Write the stream there: `.start(directory)`.")
    if attempt.is_same(made, landed.where(_WRONG_LIMIT)):
        raise Mistake(
            "The directory has what the colleague wrote, and nothing else. Your query has run its batches, but "
            "`_spark_metadata` in this directory already has their numbers, so the sink has skipped them: write into "
            "a new directory, and assign it to `directory`."
        )
    if attempt.is_same(made, landed):
        raise Mistake("The files have every reading. The exercise asks only for those with a heart rate below zero.")
    attempt.compare(made, faulty, "directory")


def _files_in(attempt: Attempt) -> DataFrame | None:
    """Return the files in the learner's directory; None if it does not exist."""
    directory = attempt.value("directory")
    if not isinstance(directory, str):
        raise Mistake(f"`directory` is a {type(directory).__name__}. It must be the path of a directory, a string.")
    if not attempt.paths.exists(directory):
        return None
    made = attempt.spark.read.schema(SCHEMA).json(directory)
    if any(not name.endswith(".json") for name in made.inputFiles()):
        raise Mistake('The files are not JSON. To write JSON, set `.format("json")`.')
    return made


def _two_files_and_a_mistake(sandbox: Sandbox) -> None:
    """Land two files, and write them as the colleague did: with another limit."""
    planted.two_files(sandbox)
    query = (
        planted.files_stream(sandbox, maxFilesPerTrigger=1)
        .where(_WRONG_LIMIT)
        .writeStream.format("json")
        .option("checkpointLocation", f"{sandbox.paths.checkpoints}/faulty_json")
        .trigger(availableNow=True)
        .start(f"{sandbox.paths.working_dir}/faulty_json")
    )
    query.awaitTermination()


def _corrected_files(sandbox: Sandbox) -> DataFrame:
    return sandbox.spark.read.schema(SCHEMA).json(sandbox.value("directory"))


MAKES = Makes(
    variables=("faulty_files",),
    folders=("checkpoints/faulty_json_2", "faulty_json_2"),
)

HIDDEN = (
    HiddenTest(
        _two_files_and_a_mistake,
        (_corrected_files,),
        later=(planted.third_file,),
        says=planted.WHAT_IS_THERE,
    ),
)
