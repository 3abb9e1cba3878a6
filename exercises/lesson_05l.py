"""Exercises of lab 05L: an offer that keeps up, a screen, a report, a backlog, and the screen for less money."""

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

    from streaming_classroom.hidden_tests import Sandbox

_SCHEMA = "device_id INT, mrn LONG, heartrate DOUBLE, time DOUBLE"
_MOST_ROWS = 4_000  # of a batch, for the small machine of 05L.4


def _landed(attempt: Attempt) -> DataFrame:
    return attempt.spark.read.schema(_SCHEMA).json(attempt.paths.landing)


# --------------------------------------------------------------------------------------- 05L.1 an offer that keeps up

SMALL_STARTER = """
DA.exercise("05L.1")  # removes what an earlier attempt created

small = None  # write the stream here, with its limit and its trigger
"""

SMALL_SOLUTION = """
DA.exercise("05L.1")  # removes what an earlier attempt created

small = (read(maxFilesPerTrigger=4)
    .writeStream
    .format("noop")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/small")
    .trigger(processingTime="2 seconds")
    .start())
"""

_EVERY = 2  # seconds between two batches of `small`
_LANDING = 2  # files per second
_SMALL_TRIGGER = '    .trigger(processingTime="2 seconds")\n'


def check_small(attempt: Attempt) -> None:
    """Say what follows from the limit: how many files a batch reads, and how many wait after an hour."""
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
    landed = _landed(attempt)
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
    """Land five files, with the function that reads them, as the lab's has it."""
    planted.five_files(sandbox)
    sandbox.keep(
        read=lambda path=sandbox.paths.landing, **options: planted.files_stream(sandbox, path, **options),
    )


SMALL = Exercise(
    id="05L.1",
    title="An offer that keeps up",
    starter=SMALL_STARTER,
    hints=(
        "How many files land from the start of one batch to the start of the next?",
        "If a batch reads fewer files than land until the next one, the rest waits, and more are left each time.",
        "`read(maxFilesPerTrigger=...)`, `.writeStream`, `.format(...)`, the checkpoint, the trigger, `.start()`.",
    ),
    solution=SMALL_SOLUTION,
    why=(
        "A limit and an interval together are a maximum rate: four files every two seconds. It must not be below the "
        "rate at which files land. With a smaller limit no batch fails, but every row waits longer than the one "
        "before it."
    ),
    check=check_small,
    hidden=(
        HiddenTest(
            _landings,
            (planted.batch_sizes("small"),),
            later=(planted.three_more_files,),
            says="Your cell was run on five other files, and on three more after a restart.",
        ),
    ),
    wrong=(
        WrongAnswer(SMALL_SOLUTION.replace("=4", "=2"), "3,600 files are waiting"),
        WrongAnswer(SMALL_SOLUTION.replace("=4", "=1"), "A batch reads 1 file,"),
        WrongAnswer(SMALL_SOLUTION.replace("=4", "=5"), "a smaller limit keeps up as well"),
        WrongAnswer(SMALL_SOLUTION.replace("maxFilesPerTrigger=4", ""), "a smaller limit keeps up as well"),
        WrongAnswer(SMALL_SOLUTION.replace(_SMALL_TRIGGER, ""), "the trigger `default`"),
        WrongAnswer(SMALL_SOLUTION.replace('processingTime="2 seconds"', "availableNow=True"), "a job that ends"),
        WrongAnswer(SMALL_SOLUTION.replace("checkpoints}/small", "checkpoints}/offers/default"), "of its own"),
        WrongAnswer(SMALL_SOLUTION + "small.stop()\n", "was stopped"),
    ),
    makes=Makes(variables=("small",), folders=("checkpoints/small",)),
)

# ------------------------------------------------------------------------------------------- 05L.2 the ward's screen

WARD_STARTER = """
DA.exercise("05L.2")  # removes what an earlier attempt created

ward = None  # write last_readings_vw here, with its trigger, its output mode, its checkpoint and its table
"""

WARD_SOLUTION = """
DA.exercise("05L.2")  # removes what an earlier attempt created

ward = (spark.table("last_readings_vw")
    .writeStream
    .outputMode("complete")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/ward")
    .trigger(processingTime="2 seconds")
    .toTable("ward_screen"))
"""

_WARD_TRIGGER = '    .trigger(processingTime="2 seconds")\n'


def check_ward(attempt: Attempt) -> None:
    """Look at the trigger before waiting; what a refused output mode says is the same in every version."""
    _must_have_a_mode_for_an_aggregate(attempt)
    stream = attempt.stream("ward")
    attempt.must_not_have_failed(stream)
    if stream.trigger is not None:  # which Connect does not tell
        _must_suit_the_ward(stream.trigger)
        if not stream.is_active:
            raise Mistake("The trigger is right, but your stream was stopped: leave it running.")
    attempt.wait_until_idle(stream)
    made, landed = attempt.table("ward_screen"), _landed(attempt)
    good = landed.where("heartrate >= 0")
    if attempt.is_same(made, _last_of_each(landed)) and not attempt.is_same(made, _last_of_each(good)):
        raise Mistake("Faulty readings are on the screen. Write `last_readings_vw`, which filters them out.")
    attempt.must_have_read(stream, good.count())
    attempt.compare(made, _last_of_each(good), "ward_screen")
    attempt.must_have_checkpoint(stream, "ward")


def _must_have_a_mode_for_an_aggregate(attempt: Attempt) -> None:
    said = attempt.words_of_error.lower()
    if "output mode" in said or "without watermark" in said:
        raise Mistake(
            "Spark rejects this output mode. The last reading of a device changes with each batch, so the table must "
            f"be replaced each time: use `complete`. Spark says: {attempt.words_of_error}"
        )


def _must_suit_the_ward(trigger: str) -> None:
    if trigger in ("availableNow", "once"):
        raise Mistake(
            f"`{trigger}` makes a job that ends, and then the screen stops updating. The ward needs a stream that "
            "keeps running."
        )
    if trigger == "default":
        raise Mistake(
            "Without an interval, each file that lands starts a batch, including batches between two redraws, which "
            "nobody sees. Set a `processingTime` trigger."
        )
    if (seconds := interval_of(trigger)) is None:
        raise Mistake(f"Your stream has the trigger `{trigger}`. For a fixed interval, use `processingTime`.")
    if seconds > 2:
        raise Mistake(
            f"A reading could wait for {seconds:g} seconds, but the ward accepts two: use a shorter interval."
        )
    if seconds < 2:
        raise Mistake(
            f"A batch every {seconds:g} seconds is more often than needed: the screen is redrawn every two. Use a "
            "longer interval."
        )


def _last_of_each(readings: DataFrame) -> DataFrame:
    from pyspark.sql import functions as F

    last = F.max_by("heartrate", "time").alias("heartrate")
    return readings.groupBy("device_id").agg(last, F.max("time").alias("time"))


def _screen_of(sandbox: Sandbox) -> None:
    """Land two files with faulty, late and missing rates and a new device, and make the lab's two views of them."""
    for number, rows in enumerate((planted.FIRST, planted.SECOND), 1):
        planted.reading_file(sandbox, f"ward-{number}.json", rows, number)
    sandbox.view("readings_vw", planted.files_stream(sandbox))
    good = sandbox.spark.sql(
        "SELECT device_id, max_by(heartrate, time) AS heartrate, max(time) AS time FROM readings_vw "
        "WHERE heartrate >= 0 GROUP BY device_id"
    )
    sandbox.view("last_readings_vw", good)


WARD = Exercise(
    id="05L.2",
    title="The ward's screen",
    starter=WARD_STARTER,
    hints=(
        "Which offer has a wait of two seconds and no batch that nobody sees?",
        "The view is an aggregate with one row per device, and these rows change. Lesson 01 wrote such a result to a "
        "table in the output mode that replaces the table.",
        '`spark.table("last_readings_vw").writeStream.outputMode("complete")`, the checkpoint, '
        '`.trigger(processingTime="2 seconds")`, `.toTable("ward_screen")`.',
    ),
    solution=WARD_SOLUTION,
    why=(
        "The allowed wait determines the trigger: with a limit of two seconds, an interval of two seconds is the "
        "longest that meets it, and the longest interval makes the fewest batches. Replacing twelve rows is fast, so "
        "`complete` costs little here."
    ),
    check=check_ward,
    hidden=(HiddenTest(_screen_of, ("ward_screen",), later=(planted.third_file,), says=planted.WHAT_IS_THERE),),
    wrong=(
        WrongAnswer(WARD_SOLUTION.replace(_WARD_TRIGGER, ""), "which nobody sees"),
        WrongAnswer(WARD_SOLUTION.replace('processingTime="2 seconds"', "availableNow=True"), "a job that ends"),
        WrongAnswer(WARD_SOLUTION.replace("2 seconds", "10 seconds"), "could wait for 10 seconds"),
        WrongAnswer(WARD_SOLUTION.replace('    .outputMode("complete")\n', ""), "rejects this output mode"),
        WrongAnswer(WARD_SOLUTION.replace('"complete"', '"update"'), "rejects this output mode"),
        WrongAnswer(WARD_SOLUTION.replace("checkpoints}/ward", "checkpoints}/screen"), "`ward` was asked for"),
        WrongAnswer(WARD_SOLUTION + "ward.stop()\n", "was stopped"),
    ),
    makes=Makes(variables=("ward",), tables=("ward_screen",), folders=("checkpoints/ward", "checkpoints/screen")),
)

# ----------------------------------------------------------------------------------------- 05L.3 the nightly report

REPORT_STARTER = """
DA.exercise("05L.3")  # removes what an earlier attempt created

report = None  # write the faulty readings of readings_vw here, as a job that costs as little as it can
"""

REPORT_SOLUTION = """
DA.exercise("05L.3")  # removes what an earlier attempt created

report = (spark.table("readings_vw")
    .where("heartrate < 0")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/report")
    .trigger(availableNow=True)
    .toTable("faulty_report"))
"""

_LIMITED = """(spark.readStream
    .schema(schema)
    .option("maxFilesPerTrigger", 1)
    .json(DA.paths.landing)"""


def check_report(attempt: Attempt) -> None:
    """A job that ends, with the right rows, in one batch, and with a checkpoint for the next night."""
    stream = attempt.stream("report")
    if stream.trigger == "once":
        raise Mistake("`once` would do the same tonight, but it is deprecated: use `availableNow`.")
    attempt.wait_for_end(stream, "The machine is paid for until the job ends: use `.trigger(availableNow=True)`.")
    made, landed = attempt.table("faulty_report"), _landed(attempt)
    faulty = landed.where("heartrate < 0")
    if attempt.is_same(made, landed):
        raise Mistake(
            "`faulty_report` has every reading. The exercise asks only for those with a heart rate below zero."
        )
    if attempt.is_same(made, landed.where("heartrate >= 0")):
        raise Mistake("These are the good readings. The technician needs those below zero.")
    attempt.must_have_read(stream, faulty.count())
    attempt.compare(made, faulty, "faulty_report")
    if (batches := len(stream.rows_read)) > 1:
        raise Mistake(
            f"The rows are right, but there are {batches} batches. Each batch has the overhead of planning and of the "
            "checkpoint's logs, and there are few rows: leave out the limit."
        )
    attempt.must_have_checkpoint(stream, "report")


REPORT = Exercise(
    id="05L.3",
    title="The nightly report",
    starter=REPORT_STARTER,
    hints=(
        "In the measurements, which offer kept the machine busy for the shortest time?",
        "A filter never changes a row that it has emitted, so use `append`, the default.",
        '`spark.table("readings_vw").where("heartrate < 0").writeStream`, the checkpoint, '
        '`.trigger(availableNow=True)`, `.toTable("faulty_report")`.',
    ),
    solution=REPORT_SOLUTION,
    why=(
        "Nobody needs this table before the morning, so the machine only has to run at night. One batch has the "
        "overhead of planning and of the checkpoint's logs only once. Because of the checkpoint, tomorrow's run "
        "reads only tomorrow's file."
    ),
    check=check_report,
    hidden=(
        HiddenTest(
            _screen_of,
            ("faulty_report", planted.batch_sizes("report")),
            later=(planted.third_file,),
            says=planted.WHAT_IS_THERE,
        ),
    ),
    wrong=(
        WrongAnswer(REPORT_SOLUTION.replace("    .trigger(availableNow=True)\n", ""), "paid for until the job ends"),
        WrongAnswer(REPORT_SOLUTION.replace("availableNow=True", 'processingTime="2 seconds"'), "paid for until"),
        WrongAnswer(REPORT_SOLUTION.replace("availableNow=True", "once=True"), "it is deprecated"),
        WrongAnswer(REPORT_SOLUTION.replace('(spark.table("readings_vw")', _LIMITED), "leave out the limit"),
        WrongAnswer(REPORT_SOLUTION.replace('    .where("heartrate < 0")\n', ""), "has every reading"),
        WrongAnswer(REPORT_SOLUTION.replace("heartrate < 0", "heartrate >= 0"), "the good readings"),
        WrongAnswer(REPORT_SOLUTION.replace("checkpoints}/report", "checkpoints}/offers/job"), "of its own"),
    ),
    makes=Makes(variables=("report",), tables=("faulty_report",), folders=("checkpoints/report",)),
)

# ------------------------------------------------------------------------------------------------ 05L.4 the backlog

BACKLOG_STARTER = """
DA.exercise("05L.4")  # removes what an earlier attempt created

backlog = None  # read DA.paths.archive here, and write it to history in batches that fit
"""

BACKLOG_SOLUTION = """
DA.exercise("05L.4")  # removes what an earlier attempt created

backlog = (spark.readStream
    .schema(schema)
    .option("maxFilesPerTrigger", 3)
    .json(DA.paths.archive)
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/backlog")
    .trigger(availableNow=True)
    .toTable("history"))
"""

_LIMIT = '    .option("maxFilesPerTrigger", 3)\n'


def check_backlog(attempt: Attempt) -> None:
    """Look at the largest batch, then at their number: both follow from the limit."""
    stream = attempt.stream("backlog")
    if stream.trigger == "once":
        raise Mistake("`once` reads the whole backlog in one batch, whatever the limit is: use `availableNow`.")
    attempt.wait_for_end(stream, "A backlog is finite, so its job must end: `.trigger(availableNow=True)`.")
    made = attempt.table("history")
    archive = attempt.spark.read.schema(_SCHEMA).json(attempt.paths.archive)
    if attempt.is_same(made, _landed(attempt)):
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
    """Put seven files of three to nine readings into the archive; the same readings are in several files."""
    sandbox.keep(schema=_SCHEMA)
    sandbox.paths.archive = f"{sandbox.paths.working_dir}/archive"
    for number in range(7):
        planted.reading_file(sandbox, f"old-{number}.json", planted.FIRST[: number + 3], number, sandbox.paths.archive)


def _four_more_days(sandbox: Sandbox) -> None:
    """Add files of two, three, four and five readings: only a limit of three reads nine rows, then five."""
    for number in range(7, 11):
        planted.reading_file(sandbox, f"old-{number}.json", planted.SECOND[: number - 5], number, sandbox.paths.archive)


BACKLOG = Exercise(
    id="05L.4",
    title="The backlog",
    starter=BACKLOG_STARTER,
    hints=(
        "The table above says how many rows a file has. How many of the largest fit into a batch?",
        'Set how much a batch reads on the reader: `.option("maxFilesPerTrigger", ...)`, before `.json(...)`.',
        "`spark.readStream.schema(schema)`, the limit of 3, `.json(DA.paths.archive)`, `.writeStream`, the checkpoint, "
        '`.trigger(availableNow=True)`, `.toTable("history")`.',
    ),
    solution=BACKLOG_SOLUTION,
    why=(
        "Three of the largest files stay below the limit, four do not. `availableNow` respects the limit, and `once` "
        "does not. A job that fails in the middle resumes after its last completed batch instead of starting again."
    ),
    check=check_backlog,
    hidden=(
        HiddenTest(
            _archive,
            ("history", planted.batch_sizes("backlog")),
            later=(_four_more_days,),
            says="Your cell was run on another archive, with readings sent twice, and on four more files after a "
            "restart.",
        ),
    ),
    wrong=(
        WrongAnswer(BACKLOG_SOLUTION.replace(_LIMIT, ""), "an option of the reader"),
        WrongAnswer(BACKLOG_SOLUTION.replace('Trigger", 3', 'Trigger", 4'), "fewer files per batch"),
        WrongAnswer(BACKLOG_SOLUTION.replace('Trigger", 3', 'Trigger", 1'), "Use more files per batch"),
        WrongAnswer(BACKLOG_SOLUTION.replace("availableNow=True", "once=True"), "in one batch, whatever the limit"),
        WrongAnswer(BACKLOG_SOLUTION.replace("availableNow=True", 'processingTime="1 second"'), "still running"),
        WrongAnswer(
            BACKLOG_SOLUTION.replace("DA.paths.archive", "DA.paths.landing"), "the files that landed for the ward"
        ),
        WrongAnswer(BACKLOG_SOLUTION.rstrip() + ".awaitTermination()\n", "in a line of its own"),
    ),
    makes=Makes(variables=("backlog",), tables=("history",), folders=("checkpoints/backlog",)),
)

# ---------------------------------------------------------------------------------------- 05L.5 the ward pays half

HALF_STARTER = """
DA.exercise("05L.5")  # removes what an earlier attempt created

ward_run = None  # write the run here
"""

HALF_SOLUTION = """
DA.exercise("05L.5")  # removes what an earlier attempt created

ward_run = (spark.table("last_readings_vw")
    .writeStream
    .outputMode("complete")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/ward")
    .trigger(availableNow=True)
    .toTable("ward_screen"))
"""

_HALF_TRIGGER = "    .trigger(availableNow=True)\n"


def check_half(attempt: Attempt) -> None:
    """The rows of a run that reads everything again are right, too: look at what it has read."""
    if not attempt.spark.catalog.tableExists("ward_screen"):
        attempt.value("ward_run")
        raise Mistake("There is no table `ward_screen` to bring up to date: solve exercise 05L.2 first.")
    _must_have_a_mode_for_an_aggregate(attempt)
    stream = attempt.stream("ward_run")
    if stream.trigger == "once":
        raise Mistake("`once` would do the same now, but it is deprecated: use `availableNow`.")
    attempt.wait_for_end(stream, "The machine is paid for until the run ends: use `.trigger(availableNow=True)`.")
    good = _landed(attempt).where("heartrate >= 0")
    if stream.rows_read and sum(stream.rows_read) >= good.count():
        raise Mistake(
            "The screen is right, but this run has read every file again, and so would the next one. The checkpoint of "
            "`ward` knows which files were read, and it keeps the last reading of each device."
        )
    attempt.must_have_checkpoint(stream, "ward")
    attempt.compare(attempt.table("ward_screen"), _last_of_each(good), "ward_screen")


def _screen_that_was_live(sandbox: Sandbox) -> None:
    """Run the ward's stream on two files; a third one lands after its end."""
    _screen_of(sandbox)
    ward = (
        sandbox.spark.table("last_readings_vw")
        .writeStream.outputMode("complete")
        .option("checkpointLocation", f"{sandbox.paths.checkpoints}/ward")
        .trigger(availableNow=True)
        .toTable("ward_screen")
    )
    ward.awaitTermination()
    planted.third_file(sandbox)


def _one_more_file(sandbox: Sandbox) -> None:
    """Land a file of two readings that were sent before: the next run must read this file alone."""
    planted.reading_file(sandbox, "ward-d.json", planted.SECOND[:2], 4)


HALF = Exercise(
    id="05L.5",
    title="The ward pays half",
    starter=HALF_STARTER,
    hints=(
        "The query, the table and the output mode are those of 05L.2. What makes it end?",
        "What tells a run which files an earlier run, or the live stream, has already read?",
        "Change one line of `ward`, and keep its checkpoint.",
    ),
    solution=HALF_SOLUTION,
    why=(
        "The checkpoint does not store the trigger. It has the files that `ward` has read and the last reading of each "
        "device, so the run reads two files and is done. A run with a new checkpoint gives the same table, but it "
        "reads everything each time."
    ),
    check=check_half,
    hidden=(
        HiddenTest(
            _screen_that_was_live,
            ("ward_screen", planted.batch_sizes("ward_run")),
            later=(_one_more_file,),
            says=planted.WHAT_IS_THERE + "The ward's stream had been stopped before some of them landed. ",
        ),
    ),
    wrong=(
        WrongAnswer(HALF_SOLUTION.replace("checkpoints}/ward", "checkpoints}/ward_run"), "read every file again"),
        WrongAnswer(HALF_SOLUTION.replace(_HALF_TRIGGER, ""), "until the run ends"),
        WrongAnswer(HALF_SOLUTION.replace("availableNow=True", 'processingTime="10 minutes"'), "until the run ends"),
        WrongAnswer(HALF_SOLUTION.replace("availableNow=True", "once=True"), "it is deprecated"),
        WrongAnswer(HALF_SOLUTION.replace('    .outputMode("complete")\n', ""), "rejects this output mode"),
    ),
    makes=Makes(variables=("ward_run",), folders=("checkpoints/ward_run",)),
)

EXERCISES = (SMALL, WARD, REPORT, BACKLOG, HALF)
