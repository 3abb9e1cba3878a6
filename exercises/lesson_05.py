"""Exercises of lesson 05: a stream with a fixed interval, and a job with a limit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lesson_exercises import planted

from streaming_classroom.exercises import Attempt, Exercise, HiddenTest, Makes, Mistake, WrongAnswer, interval_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_SCHEMA = "device_id INT, mrn LONG, heartrate DOUBLE, time DOUBLE"


def _landed(attempt: Attempt) -> DataFrame:
    return attempt.spark.read.schema(_SCHEMA).json(attempt.paths.landing)


# ------------------------------------------------------------------------------------------- 05.1 every two seconds

INTERVAL_STARTER = """
DA.exercise("05.1")  # removes what an earlier attempt created

every_two = None  # write the stream here, with its source, its trigger, its checkpoint and its table
"""

INTERVAL_SOLUTION = """
DA.exercise("05.1")  # removes what an earlier attempt created

every_two = (spark.readStream
    .schema(schema)
    .json(DA.paths.landing)
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/ward_readings")
    .trigger(processingTime="2 seconds")
    .toTable("ward_readings"))
"""


def check_interval(attempt: Attempt) -> None:
    """Look at the trigger before waiting: another one may wait for hours."""
    stream = attempt.stream("every_two")
    attempt.must_not_have_failed(stream)
    if stream.trigger is not None:  # which Connect does not tell
        _must_look_every_two_seconds(stream.trigger)
    if not stream.is_active:
        raise Mistake(
            "Your stream was stopped, or it is a job that ends. Use a trigger of two seconds, and leave the stream "
            "running."
        )
    attempt.wait_until_idle(stream)
    made, landed = attempt.table("ward_readings"), _landed(attempt)
    attempt.must_have_read(stream, landed.count())
    attempt.compare(made, landed, "ward_readings")
    attempt.must_have_checkpoint(stream, "ward_readings")


def _must_look_every_two_seconds(trigger: str) -> None:
    if trigger in ("availableNow", "once"):
        raise Mistake(
            f"`{trigger}` makes a job that ends. This stream must keep running and check for new files every two "
            "seconds."
        )
    if trigger == "default":
        raise Mistake(
            "Your stream has no interval: it starts the next batch as soon as one is done. Set a `processingTime` "
            "trigger."
        )
    if (seconds := interval_of(trigger)) is None:
        raise Mistake(f"Your stream has the trigger `{trigger}`. For a fixed interval, use `processingTime`.")
    if seconds != 2:
        raise Mistake(f"Your stream has an interval of {seconds:g} seconds. The exercise asks for two seconds.")


INTERVAL = Exercise(
    id="05.1",
    title="Every two seconds",
    starter=INTERVAL_STARTER,
    hints=(
        "Begin with `spark.readStream.schema(schema).json(DA.paths.landing)`, and continue with `.writeStream`.",
        'For a fixed interval, use `.trigger(processingTime="...")` after `.writeStream`.',
        '`.option("checkpointLocation", f"{DA.paths.checkpoints}/ward_readings")`, the trigger, and '
        '`.toTable("ward_readings")`, which starts the stream and returns it.',
    ),
    solution=INTERVAL_SOLUTION,
    why=(
        "The trigger alone defines how often Spark checks for new files. The stream never stops by itself: it waits "
        "for the next even second, and then processes all files that have landed in one batch."
    ),
    check=check_interval,
    hidden=(
        HiddenTest(
            planted.five_files,
            ("ward_readings", planted.batch_sizes("every_two")),
            later=(planted.three_more_files,),
            says="Your cell was run on five other files, and on three more after a restart.",
        ),
    ),
    wrong=(
        WrongAnswer(INTERVAL_SOLUTION.replace('    .trigger(processingTime="2 seconds")\n', ""), "has no interval"),
        WrongAnswer(INTERVAL_SOLUTION.replace('processingTime="2 seconds"', "availableNow=True"), "a job that ends"),
        WrongAnswer(INTERVAL_SOLUTION.replace("2 seconds", "2 minutes"), "an interval of 120 seconds"),
        WrongAnswer(INTERVAL_SOLUTION.replace("checkpoints}/ward_readings", "checkpoints}/slow"), "of its own"),
        WrongAnswer(INTERVAL_SOLUTION.replace("readStream", "read"), "raised an error"),
        WrongAnswer(INTERVAL_SOLUTION.replace('.toTable("ward_readings")', '.format("noop").start()'), "no table"),
        WrongAnswer(INTERVAL_SOLUTION + "every_two.stop()\n", "was stopped"),
    ),
    makes=Makes(variables=("every_two",), tables=("ward_readings",), folders=("checkpoints/ward_readings",)),
)

# ------------------------------------------------------------------------------------------- 05.2 a job with a limit

JOB_STARTER = """
DA.exercise("05.2")  # removes what an earlier attempt created

job = None  # write the job here, with two files per batch
"""

JOB_SOLUTION = """
DA.exercise("05.2")  # removes what an earlier attempt created

job = (spark.readStream
    .schema(schema)
    .option("maxFilesPerTrigger", 2)
    .json(DA.paths.landing)
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/job_readings")
    .trigger(availableNow=True)
    .toTable("job_readings"))
"""


def check_job(attempt: Attempt) -> None:
    """Count the batches last: that the rows are right says nothing about them."""
    stream = attempt.stream("job")
    if stream.trigger == "once":
        raise Mistake(
            "`once` reads all files in one batch, whatever the limit is. It is deprecated: use `availableNow`."
        )
    attempt.wait_for_end(
        stream, "A job must stop after it has processed the available data: use `.trigger(availableNow=True)`."
    )
    made, landed = attempt.table("job_readings"), _landed(attempt)
    attempt.must_have_read(stream, landed.count())
    attempt.compare(made, landed, "job_readings")
    _must_be_two_a_batch(len(stream.rows_read), landed.select("_metadata.file_name").distinct().count())
    attempt.must_have_checkpoint(stream, "job_readings")


def _must_be_two_a_batch(batches: int, files: int) -> None:
    if batches == (files + 1) // 2:
        return
    if batches == 1:
        raise Mistake(
            f"The rows are right, but one batch has read all {files} files. The limit is an option of the reader: set "
            "it before `.json(...)`."
        )
    if batches == files:
        raise Mistake(
            "The rows are right, but each batch has read one file, which is the limit in `readings`. Define a new "
            "stream over the folder, with a limit of two."
        )
    raise Mistake(
        f"The rows are right, but there were {batches} batches for {files} files. The exercise asks for two files per "
        "batch."
    )


JOB = Exercise(
    id="05.2",
    title="A job with a limit",
    starter=JOB_STARTER,
    hints=(
        "The limit is an option of the reader. The trigger is a setting of the writer.",
        'Before `.json(DA.paths.landing)`: `.option("maxFilesPerTrigger", 2)`.',
        '`.trigger(availableNow=True)`, the checkpoint `f"{DA.paths.checkpoints}/job_readings"`, and '
        '`.toTable("job_readings")`.',
    ),
    solution=JOB_SOLUTION,
    why=(
        "`availableNow` determines which data the run reads, and the limit determines how much of it each batch "
        "reads. Without the limit, the file source puts everything into one batch, as `once` does. With the limit, "
        "the memory that a batch needs stays the same, however long the job was not running."
    ),
    check=check_job,
    hidden=(
        HiddenTest(
            planted.five_files,
            ("job_readings", planted.batch_sizes("job")),
            later=(planted.three_more_files,),
            says="Your cell was run on five other files, and on three more after a restart.",
        ),
    ),
    wrong=(
        WrongAnswer(JOB_SOLUTION.replace('    .option("maxFilesPerTrigger", 2)\n', ""), "an option of the reader"),
        WrongAnswer(
            JOB_SOLUTION.replace('    .option("maxFilesPerTrigger", 2)\n', "").replace(
                "    .writeStream\n", '    .writeStream\n    .option("maxFilesPerTrigger", 2)\n'
            ),
            "an option of the reader",
        ),
        WrongAnswer(JOB_SOLUTION.replace("availableNow=True", "once=True"), "whatever the limit is"),
        WrongAnswer(JOB_SOLUTION.replace("    .trigger(availableNow=True)\n", ""), "still running"),
        WrongAnswer(
            JOB_SOLUTION.replace(
                JOB_SOLUTION[JOB_SOLUTION.index("(spark") : JOB_SOLUTION.index("\n    .writeStream")], "(readings"
            ),
            "each batch has read one file",
        ),
        WrongAnswer(JOB_SOLUTION.replace("checkpoints}/job_readings", "checkpoints}/availableNow"), "of its own"),
        WrongAnswer(JOB_SOLUTION.rstrip() + ".awaitTermination()\n", "in a line of its own"),
    ),
    makes=Makes(variables=("job",), tables=("job_readings",), folders=("checkpoints/job_readings",)),
)

EXERCISES = (INTERVAL, JOB)
