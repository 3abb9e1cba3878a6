"""Exercises of lesson 03: choose which files a stream reads and in what order, and read a table's history."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lesson_exercises import planted

from streaming_classroom.exercises import Attempt, Exercise, HiddenTest, Makes, Mistake, WrongAnswer

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.hidden_tests import Sandbox

SCHEMA = "device_id INT, mrn LONG, heartrate DOUBLE, time DOUBLE"

# ---------------------------------------------------------------------------------- 03.1 which files, in what order

DAYS_STARTER = """
DA.exercise("03.1")  # removes what an earlier attempt created

odd_days = None  # read and write the stream here
"""

DAYS_SOLUTION = """
DA.exercise("03.1")  # removes what an earlier attempt created

odd_days = (spark.readStream
    .schema(schema)
    .option("maxFilesPerTrigger", 1)
    .option("latestFirst", True)
    .json(f"{DA.paths.landing}/2025-06-0[13].json")
    .writeStream
    .format("memory")
    .queryName("odd_days")
    .trigger(availableNow=True)
    .start())
"""


def check_days(attempt: Attempt) -> None:
    """Look at the rows first: they say which files were read; then at the batches, which say in what order."""
    stream = attempt.stream("odd_days")
    attempt.wait_for_end(
        stream, "The query must stop after it has read the available data: use `.trigger(availableNow=True)`."
    )
    if stream.query.name != "odd_days":
        raise Mistake('The `memory` sink gives its table the name of the query: `.queryName("odd_days")`.')
    made = attempt.table("odd_days")
    first, second, third = (_day(attempt, f"2025-06-0{day}.json") for day in (1, 2, 3))
    if attempt.is_same(made, first.union(second).union(third)):
        raise Mistake("All three days were read. In a path, `[1-3]` means 1 to 3, and `[13]` means 1 or 3: use `[13]`.")
    attempt.compare(made, first.union(third), "odd_days")
    sizes = [third.count(), first.count()]
    if stream.rows_read == [sum(sizes)]:
        if stream.trigger == "once":
            raise Mistake(
                "`once` reads both days in one batch, whatever the limit. Use `availableNow`, which respects the limit."
            )
        raise Mistake(
            "The rows are right, but both days came in one batch. `maxFilesPerTrigger` is an option of the reader: "
            "set it before `.json(...)`."
        )
    if stream.rows_read == sizes[::-1]:
        raise Mistake("The rows are right, but the first day came first: give the reader the option `latestFirst`.")
    if stream.rows_read != sizes:
        raise Mistake("The rows are right, but the batches do not contain one day each: set `maxFilesPerTrigger` to 1.")


def _day(attempt: Attempt, name: str) -> DataFrame:
    return attempt.spark.read.schema(SCHEMA).json(f"{attempt.paths.landing}/{name}")


def _five_days(sandbox: Sandbox) -> None:
    """Land five days of three to seven readings, so that each choice of days and each order has other batches."""
    sandbox.keep(schema=planted.READINGS)
    for day in range(1, 6):
        planted.reading_file(sandbox, f"2025-06-0{day}.json", planted.FIRST[: day + 2], day)


DAYS = Exercise(
    id="03.1",
    title="Two days, latest first",
    starter=DAYS_STARTER,
    hints=(
        "Start from the stream above and keep its sink and its trigger. Change the query's name, and three settings "
        "of the source.",
        "`[13]` in a path means 1 or 3. `latestFirst` is an option of the reader, like `maxFilesPerTrigger`.",
        '`.option("latestFirst", True)` and `.json(f"{DA.paths.landing}/2025-06-0[13].json")`; after the sink '
        '`.queryName("odd_days")`.',
    ),
    solution=DAYS_SOLUTION,
    why=(
        "The path selects the files, the limit sets how many of them a batch reads, and their modification times set "
        "the order. All three describe the source, so they are options of the reader."
    ),
    check=check_days,
    hidden=(
        HiddenTest(
            _five_days,
            ("odd_days", planted.batch_sizes("odd_days")),
            says="Your cell was run on other readings, of five days.",
        ),
    ),
    wrong=(
        WrongAnswer(DAYS_SOLUTION.replace("[13]", "[1-3]"), "`[1-3]` means 1 to 3"),
        WrongAnswer(DAYS_SOLUTION.replace("0[13].json", "0[12].json"), "rows are missing"),
        WrongAnswer(DAYS_SOLUTION.replace('    .option("latestFirst", True)\n', ""), "the first day came first"),
        WrongAnswer(
            DAYS_SOLUTION.replace('    .option("maxFilesPerTrigger", 1)\n', "").replace(
                '.format("memory")', '.format("memory")\n    .option("maxFilesPerTrigger", 1)'
            ),
            "both days came in one batch",
        ),
        WrongAnswer(DAYS_SOLUTION.replace("availableNow", "once"), "whatever the limit"),
        WrongAnswer(DAYS_SOLUTION.replace("    .trigger(availableNow=True)\n", ""), "still running"),
        WrongAnswer(DAYS_SOLUTION.replace('"odd_days"', '"the_odd_days"'), '.queryName("odd_days")'),
        WrongAnswer(DAYS_SOLUTION.replace('    .queryName("odd_days")\n', ""), "raised an error"),
        WrongAnswer(DAYS_SOLUTION.replace("    .start())", "    .start()\n    .awaitTermination())"), "is None"),
    ),
    makes=Makes(variables=("odd_days",), views=("odd_days",)),
)

# ------------------------------------------------------------------------------------------- 03.2 a table's history

HISTORY_STARTER = """
DA.exercise("03.2")  # removes what an earlier attempt created

as_recorded = None  # read and write the stream here
"""

HISTORY_SOLUTION = """
DA.exercise("03.2")  # removes what an earlier attempt created

as_recorded = (spark.readStream
    .option("startingVersion", 0)
    .option("skipChangeCommits", True)
    .table("bronze")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/as_recorded")
    .trigger(availableNow=True)
    .toTable("as_recorded"))
"""


def check_history(attempt: Attempt) -> None:
    """Compare the rows with the table as it was before the update, and with what each option alone gives."""
    stream = attempt.stream("as_recorded")
    stream.has_ended(min(30.0, attempt.left))
    if stream.error is not None and "IGNORE_CHANGES" in str(stream.error):
        raise Mistake(
            "Your stream read the history up to the update and failed there. Set the reader option "
            "`skipChangeCommits` before `.table(...)` to skip the update."
        )
    attempt.wait_for_end(
        stream, "The query must stop after it has read the available data: use `.trigger(availableNow=True)`."
    )
    attempt.must_have_checkpoint(stream, "as_recorded")
    made = attempt.table("as_recorded")
    now = attempt.spark.table("bronze")
    right = _appended(attempt)
    first_day = attempt.spark.sql("SELECT * FROM bronze VERSION AS OF 0")
    if attempt.is_same(made, now):
        raise Mistake(
            "These are the corrected values. Without `startingVersion`, a stream first reads the current snapshot of "
            "the table, and then new commits. Set `startingVersion`."
        )
    if attempt.is_same(made, right.exceptAll(first_day)):
        raise Mistake(
            "The first day is missing. It is version 0, and `startingVersion` is the first version that the stream "
            "reads."
        )
    if attempt.is_same(made, right.union(now)):
        raise Mistake(
            "`ignoreChanges` emits the files that the update rewrote, so each reading is there twice. Use "
            "`skipChangeCommits`, which skips the whole version."
        )
    attempt.compare(made, right, "as_recorded")


def _corrected_table(sandbox: Sandbox) -> None:
    """Make a table whose history has two corrections between its appends."""
    planted.bronze(sandbox)
    sandbox.spark.sql("UPDATE bronze SET heartrate = -heartrate WHERE heartrate < 0")
    planted.more_bronze(sandbox)
    sandbox.spark.sql("DELETE FROM bronze WHERE device_id = 4")


def _third_append(sandbox: Sandbox) -> None:
    """Append rows after a restart: the next run must read them, and nothing that was read before."""
    sandbox.append("bronze", planted.THIRD, planted.READINGS)


def _appended(attempt: Attempt) -> DataFrame:
    """Return what was appended to `bronze`, as it was then; a lesson's experiment may have added versions."""
    reader = attempt.spark.readStream.option("startingVersion", 0).option("skipChangeCommits", True)
    return attempt.rows_of_stream(reader.table("bronze"))


HISTORY = Exercise(
    id="03.2",
    title="Readings as recorded",
    starter=HISTORY_STARTER,
    hints=(
        "The current table has the corrected values. The original ones are in its history: at which version does the "
        "history start?",
        "In the history, version 3 is the update. A stream fails there unless it skips the update. So you need two "
        "options of the reader.",
        '`spark.readStream.option("startingVersion", 0).option("skipChangeCommits", True).table("bronze")`',
    ),
    solution=HISTORY_SOLUTION,
    why=(
        "A Delta table keeps the files of its earlier versions, and a stream that starts at version 0 reads the rows "
        "that each version added. Version 3 adds no rows: it rewrites existing ones. The stream skips it, and "
        "therefore the correction."
    ),
    check=check_history,
    hidden=(
        HiddenTest(
            _corrected_table,
            ("as_recorded",),
            later=(_third_append,),
            says="Your cell was run on a table with another history: two corrections, and rows after a restart.",
        ),
    ),
    wrong=(
        WrongAnswer(HISTORY_SOLUTION.replace('    .option("startingVersion", 0)\n', ""), "the corrected values"),
        WrongAnswer(HISTORY_SOLUTION.replace('    .option("skipChangeCommits", True)\n', ""), "failed there"),
        WrongAnswer(
            HISTORY_SOLUTION.replace('("startingVersion", 0)', '("startingVersion", 1)'), "first day is missing"
        ),
        WrongAnswer(HISTORY_SOLUTION.replace("skipChangeCommits", "ignoreChanges"), "each reading is there twice"),
        WrongAnswer(HISTORY_SOLUTION.replace("checkpoints}/as_recorded", "checkpoints}/silver"), "belongs to another"),
        WrongAnswer(HISTORY_SOLUTION.replace("    .trigger(availableNow=True)\n", ""), "still running"),
        WrongAnswer(HISTORY_SOLUTION.replace("readStream", "read"), "raised an error"),
        WrongAnswer(
            HISTORY_SOLUTION.replace('    .option("checkpointLocation", f"{DA.paths.checkpoints}/as_recorded")\n', ""),
            "raised an error",
        ),
    ),
    makes=Makes(variables=("as_recorded",), tables=("as_recorded",), folders=("checkpoints/as_recorded",)),
)

EXERCISES = (DAYS, HISTORY)
