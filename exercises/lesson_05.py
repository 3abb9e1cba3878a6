"""Exercises of lesson 05: a stream that looks at fixed times, a job with a limit."""

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
        raise Mistake("Your stream was stopped, or it is a job that ends: let it look every two seconds, and go on.")
    attempt.wait_until_idle(stream)
    made, landed = attempt.table("ward_readings"), _landed(attempt)
    attempt.must_have_read(stream, landed.count())
    attempt.compare(made, landed, "ward_readings")
    attempt.must_have_checkpoint(stream, "ward_readings")


def _must_look_every_two_seconds(trigger: str) -> None:
    if trigger in ("availableNow", "once"):
        raise Mistake(f"`{trigger}` makes a job that ends. This stream is to go on, and to look every two seconds.")
    if trigger == "default":
        raise Mistake(
            "Your stream has no interval: it looks again as soon as a batch is done. Give it a `processingTime`."
        )
    if (seconds := interval_of(trigger)) is None:
        raise Mistake(f"Your stream has the trigger `{trigger}`. A fixed interval is a `processingTime`.")
    if seconds != 2:
        raise Mistake(f"Your stream looks every {seconds:g} seconds; every two seconds was asked for.")


INTERVAL = Exercise(
    id="05.1",
    title="Every two seconds",
    starter=INTERVAL_STARTER,
    hints=(
        "Begin with `spark.readStream.schema(schema).json(DA.paths.landing)`, and go on with `.writeStream`.",
        'A fixed interval is `.trigger(processingTime="...")`. It stands between `.writeStream` and the end.',
        '`.option("checkpointLocation", f"{DA.paths.checkpoints}/ward_readings")`, the trigger, and '
        '`.toTable("ward_readings")`, which starts the stream and returns it.',
    ),
    solution=INTERVAL_SOLUTION,
    why=(
        "The trigger is the only line that says how often Spark looks. Nothing ends this stream: it waits for the next "
        "even second, and takes whatever has landed until then in one batch."
    ),
    check=check_interval,
    hidden=(
        HiddenTest(
            planted.five_files,
            ("ward_readings", planted.batch_sizes("every_two")),
            later=(planted.two_more_files,),
            says="Five other files were there at the start, and two more after a restart.",
        ),
    ),
    wrong=(
        WrongAnswer(INTERVAL_SOLUTION.replace('    .trigger(processingTime="2 seconds")\n', ""), "has no interval"),
        WrongAnswer(INTERVAL_SOLUTION.replace('processingTime="2 seconds"', "availableNow=True"), "a job that ends"),
        WrongAnswer(INTERVAL_SOLUTION.replace("2 seconds", "2 minutes"), "looks every 120 seconds"),
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

job = None  # write the job here: two files a batch, and it ends
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
            "`once` takes all files in one batch, whatever the limit is. It is deprecated: use `availableNow`."
        )
    attempt.wait_for_end(stream, "A job ends when it has done what is there: give it `.trigger(availableNow=True)`.")
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
            f"The rows are right, but one batch has taken all {files} files. The limit is an option of the reader: it "
            "stands before `.json(...)`."
        )
    if batches == files:
        raise Mistake(
            "The rows are right, but each batch has taken one file, as `readings` says. Read the folder anew, with a "
            "limit of two."
        )
    raise Mistake(
        f"The rows are right, but there were {batches} batches for {files} files; two a batch were asked for."
    )


JOB = Exercise(
    id="05.2",
    title="A job with a limit",
    starter=JOB_STARTER,
    hints=(
        "The limit belongs to what is read, the trigger to what is written.",
        'Before `.json(DA.paths.landing)`: `.option("maxFilesPerTrigger", 2)`.',
        '`.trigger(availableNow=True)`, the checkpoint `f"{DA.paths.checkpoints}/job_readings"`, and '
        '`.toTable("job_readings")`.',
    ),
    solution=JOB_SOLUTION,
    why=(
        "`availableNow` sets what the run will read, the limit how much of it a batch takes. Without the limit the "
        "file source hands everything to one batch, as `once` does. With it the memory that a batch needs stays the "
        "same, however long the job was switched off."
    ),
    check=check_job,
    hidden=(
        HiddenTest(
            planted.five_files,
            ("job_readings", planted.batch_sizes("job")),
            later=(planted.two_more_files,),
            says="Five other files were there at the start, and two more after a restart.",
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
            "each batch has taken one file",
        ),
        WrongAnswer(JOB_SOLUTION.replace("checkpoints}/job_readings", "checkpoints}/availableNow"), "of its own"),
        WrongAnswer(JOB_SOLUTION.rstrip() + ".awaitTermination()\n", "in a line of its own"),
    ),
    makes=Makes(variables=("job",), tables=("job_readings",), folders=("checkpoints/job_readings",)),
)

EXERCISES = (INTERVAL, JOB)
