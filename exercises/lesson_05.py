"""Exercises of lesson 05: intervals that follow from a requirement, and a nightly job that goes live."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lesson_exercises import planted

from streaming_classroom.exercises import (
    Attempt,
    Exercise,
    HiddenTest,
    MadeStream,
    Makes,
    Mistake,
    WrongAnswer,
    interval_of,
)

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_SCHEMA = "device_id INT, mrn LONG, heartrate DOUBLE, time DOUBLE"


def _landed(attempt: Attempt) -> DataFrame:
    return attempt.spark.read.schema(_SCHEMA).json(attempt.paths.landing)


# --------------------------------------------------------------------------- 05.1 two requirements, two intervals

INTERVALS_STARTER = """
DA.exercise("05.1")  # removes what an earlier attempt created

arrivals = spark.readStream.schema(schema).json(DA.paths.landing)

screen = None  # write arrivals into ward_screen, with the longest interval that is allowed
audit = None  # write arrivals into ward_audit, with the shortest interval that is allowed
"""

INTERVALS_SOLUTION = """
DA.exercise("05.1")  # removes what an earlier attempt created

arrivals = spark.readStream.schema(schema).json(DA.paths.landing)

screen = (arrivals.writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/ward_screen")
    .trigger(processingTime="2 seconds")
    .toTable("ward_screen"))

audit = (arrivals.writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/ward_audit")
    .trigger(processingTime="3 seconds")
    .toTable("ward_audit"))
"""

_OLDEST = 3  # seconds, of a row of `ward_screen`
_BATCH = 1  # seconds that a batch takes
_VERSIONS = 1_200  # of `ward_audit` per hour


def check_intervals(attempt: Attempt) -> None:
    """Say what follows from an interval; look at it before waiting, as another one may wait for hours."""
    screen, audit = attempt.stream("screen"), attempt.stream("audit")
    for name, stream in (("screen", screen), ("audit", audit)):
        attempt.must_not_have_failed(stream)
        _must_go_on(name, stream)
    if screen.trigger is not None:  # which Connect does not tell
        _must_be_fresh_and_poll_rarely(_seconds_of(screen.trigger))
    if audit.trigger is not None:
        _must_write_few_versions(_seconds_of(audit.trigger))
    landed = _landed(attempt)
    for name, stream in (("screen", screen), ("audit", audit)):
        attempt.wait_until_idle(stream)
        attempt.must_have_read(stream, landed.count())
        attempt.compare(attempt.table(f"ward_{name}"), landed, f"ward_{name}")
        attempt.must_have_checkpoint(stream, f"ward_{name}")


def _must_go_on(name: str, stream: MadeStream) -> None:
    if stream.trigger in ("availableNow", "once"):
        raise Mistake(f"`{name}` has the trigger `{stream.trigger}`, which makes a job that ends. It must stay live.")
    if not stream.is_active:
        raise Mistake(f"`{name}` was stopped, or it is a job that ends. Leave it running.")


def _seconds_of(trigger: str) -> float:
    """Return the interval of a live stream's trigger, 0 for the default."""
    if trigger == "default":
        return 0.0
    if (seconds := interval_of(trigger)) is None:
        raise Mistake(f"A stream has the trigger `{trigger}`. For a fixed interval, use `processingTime`.")
    return seconds


def _must_be_fresh_and_poll_rarely(seconds: float) -> None:
    longest = _OLDEST - _BATCH
    if seconds == 0:
        raise Mistake(
            "`screen` has no interval, so it checks for files all the time, and every check costs a listing. The rows "
            f"may be {_OLDEST} seconds old: choose the longest interval that this allows."
        )
    if seconds > longest:
        raise Mistake(
            f"With an interval of {seconds:g} s, a row of `screen` could be {seconds + _BATCH:g} seconds old: it may "
            f"wait for a whole interval, and its batch takes {_BATCH} s more. {_OLDEST} seconds are allowed."
        )
    if seconds < longest:
        raise Mistake(
            f"With an interval of {seconds:g} s, no row of `screen` is older than {seconds + _BATCH:g} seconds, but "
            f"the folder is listed {3600 / seconds:,.0f} times per hour. Rows may be {_OLDEST} seconds old, so it can "
            "be listed less often."
        )


def _must_write_few_versions(seconds: float) -> None:
    shortest = 3600 / _VERSIONS
    if seconds == 0:
        raise Mistake(
            "`audit` has no interval, so nothing limits how many batches it runs per hour. Choose one that keeps it "
            f"at {_VERSIONS:,} batches or below."
        )
    if seconds < shortest:
        raise Mistake(
            f"With an interval of {seconds:g} s, `audit` can run {3600 / seconds:,.0f} batches per hour, and each one "
            f"makes a version. {_VERSIONS:,} are allowed."
        )
    if seconds > shortest:
        raise Mistake(
            f"With an interval of {seconds:g} s, `audit` runs {3600 / seconds:,.0f} batches per hour at most. "
            f"{_VERSIONS:,} are allowed, so the rows could be fresher."
        )


INTERVALS = Exercise(
    id="05.1",
    title="Two requirements, two intervals",
    starter=INTERVALS_STARTER,
    hints=(
        "A row that lands just after a check waits for a whole interval, and then for its batch. What is the longest "
        "interval for which both together take 3 seconds?",
        "An hour has 3,600 seconds, and a stream with an interval starts at most one batch in each.",
        'Both streams are `arrivals.writeStream`, a checkpoint of their own, `.trigger(processingTime="...")` and '
        "`.toTable(...)`.",
    ),
    solution=INTERVALS_SOLUTION,
    why=(
        "The interval limits both the age of the rows and the number of batches. A row of `screen` waits for 2 seconds "
        "at most and then for its batch: 3 seconds. `audit` starts a batch every 3 seconds at most: 1,200 per hour."
    ),
    check=check_intervals,
    hidden=(
        HiddenTest(
            planted.five_files,
            ("ward_screen", "ward_audit", planted.batch_sizes("screen"), planted.batch_sizes("audit")),
            says="Your cell was run on five other files.",
        ),
    ),
    wrong=(
        WrongAnswer(
            INTERVALS_SOLUTION.replace('    .trigger(processingTime="2 seconds")\n', ""), "it checks for files all"
        ),
        WrongAnswer(INTERVALS_SOLUTION.replace("2 seconds", "3 seconds"), "could be 4 seconds old"),
        WrongAnswer(INTERVALS_SOLUTION.replace("2 seconds", "1 second"), "listed 3,600 times per hour"),
        WrongAnswer(INTERVALS_SOLUTION.replace("3 seconds", "2 seconds"), "can run 1,800 batches per hour"),
        WrongAnswer(INTERVALS_SOLUTION.replace("3 seconds", "1 minute"), "could be fresher"),
        WrongAnswer(
            INTERVALS_SOLUTION.replace('    .trigger(processingTime="3 seconds")\n', ""), "nothing limits how many"
        ),
        WrongAnswer(INTERVALS_SOLUTION.replace('processingTime="2 seconds"', "availableNow=True"), "a job that ends"),
        WrongAnswer(INTERVALS_SOLUTION.replace("checkpoints}/ward_audit", "checkpoints}/ward_log"), "was asked for"),
        WrongAnswer(INTERVALS_SOLUTION.replace("readStream", "read"), "raised an error"),
        WrongAnswer(INTERVALS_SOLUTION + "screen.stop()\n", "was stopped"),
    ),
    makes=Makes(
        variables=("screen", "audit"),
        tables=("ward_screen", "ward_audit"),
        folders=("checkpoints/ward_screen", "checkpoints/ward_audit"),
    ),
)

# -------------------------------------------------------------------------- 05.2 from a nightly job to a live table

LIVE_STARTER = """
DA.exercise("05.2")  # removes what an earlier attempt created

job = None  # write the nightly job here, and wait for its end

DA.data_factory.load()  # the next day lands

live = None  # write the live stream here
"""

LIVE_SOLUTION = """
DA.exercise("05.2")  # removes what an earlier attempt created

two_at_a_time = spark.readStream.schema(schema).option("maxFilesPerTrigger", 2).json(DA.paths.landing)

job = (two_at_a_time.writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/ward_history")
    .trigger(availableNow=True)
    .toTable("ward_history"))
job.awaitTermination(30)

DA.data_factory.load()  # the next day lands

live = (two_at_a_time.writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/ward_history")
    .toTable("ward_history"))
"""

_LIMIT = '.option("maxFilesPerTrigger", 2)'
_JOB_TRIGGER = "    .trigger(availableNow=True)\n"


def check_live(attempt: Attempt) -> None:
    """Look at both triggers, then at what each has read: the rows alone do not tell whether the limit held."""
    job, live = attempt.stream("job"), attempt.stream("live")
    _must_be_a_job(attempt, job)
    _must_be_live(attempt, live)
    attempt.wait_until_idle(live)
    made, landed = attempt.table("ward_history"), _landed(attempt)
    if sum(job.rows_read) and sum(live.rows_read) >= landed.count():
        raise Mistake(
            "`live` has read every file again, and `ward_history` has the job's rows twice. Which files were read is "
            "in the checkpoint: give both queries the same one."
        )
    attempt.must_have_checkpoint(job, "ward_history")
    attempt.must_have_checkpoint(live, "ward_history")
    _must_be_two_a_batch(job.rows_read, attempt.rows_of_files(landed))
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


def _must_be_two_a_batch(batches: list[int], sizes: list[int]) -> None:
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


LIVE = Exercise(
    id="05.2",
    title="From a nightly job to a live table",
    starter=LIVE_STARTER,
    hints=(
        "The limit is an option of the reader. The trigger is a setting of the writer.",
        "What does the live stream need from the job, so that it reads only what the job has not read?",
        "`job` and `live` have the same source, checkpoint and table. Only one of them has `.trigger(...)`.",
    ),
    solution=LIVE_SOLUTION,
    why=(
        "The checkpoint records which files were read, and not the trigger. So the job and the live stream are one "
        "query that is started in two ways. The limit keeps the batches small, however long the job was not run."
    ),
    check=check_live,
    hidden=(
        HiddenTest(
            planted.five_files,
            ("ward_history", planted.batch_sizes("job"), planted.batch_sizes("live")),
            later=(planted.three_more_files,),
            says="Your cell was run on five other files, and on three more after a restart.",
        ),
    ),
    wrong=(
        WrongAnswer(LIVE_SOLUTION.replace(_LIMIT, ""), "an option of the reader"),
        WrongAnswer(LIVE_SOLUTION.replace(_LIMIT, _LIMIT.replace("2", "1")), "has read one file"),
        WrongAnswer(LIVE_SOLUTION.replace(_LIMIT, _LIMIT.replace("2", "3")), "asks for two files per batch"),
        WrongAnswer(LIVE_SOLUTION.replace("availableNow=True", "once=True"), "whatever the limit is"),
        WrongAnswer(
            LIVE_SOLUTION.replace('/ward_history")\n    .toTable', '/ward_live")\n    .toTable'),
            "has the job's rows twice",
        ),
        WrongAnswer(
            LIVE_SOLUTION.replace('")\n    .toTable', '")\n' + _JOB_TRIGGER + "    .toTable"), "must stay live"
        ),
        WrongAnswer(
            LIVE_SOLUTION.replace('")\n    .toTable', '")\n    .trigger(processingTime="1 minute")\n    .toTable'),
            "an interval of 60 s",
        ),
        WrongAnswer(LIVE_SOLUTION.replace("ward_history", "ward_days"), "no table `ward_history`"),
        WrongAnswer(LIVE_SOLUTION + "live.stop()\n", "was stopped"),
    ),
    makes=Makes(
        variables=("job", "live"),
        tables=("ward_history",),
        folders=("checkpoints/ward_history",),
    ),
)

EXERCISES = (INTERVALS, LIVE)
