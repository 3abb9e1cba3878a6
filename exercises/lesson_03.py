"""Exercises of lesson 03: say which files are read and in what order, and read a table's history."""

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
    attempt.wait_for_end(stream, "It was to end when it has read what is there: `.trigger(availableNow=True)`.")
    if stream.query.name != "odd_days":
        raise Mistake('The sink `memory` calls its table as the query is called: `.queryName("odd_days")`.')
    made = attempt.table("odd_days")
    first, second, third = (_day(attempt, f"2025-06-0{day}.json") for day in (1, 2, 3))
    if attempt.is_same(made, first.union(second).union(third)):
        raise Mistake("All three days were read. In a path `[1-3]` means 1 to 3, and `[13]` means 1 or 3.")
    attempt.compare(made, first.union(third), "odd_days")
    sizes = [third.count(), first.count()]
    if stream.rows_read == [sum(sizes)]:
        if stream.trigger == "once":
            raise Mistake("`once` takes both days in one batch, whatever the limit. `availableNow` keeps to it.")
        raise Mistake(
            "The rows are right, but both days came in one batch. `maxFilesPerTrigger` is an option of the reader: it "
            "stands before `.json(...)`."
        )
    if stream.rows_read == sizes[::-1]:
        raise Mistake("The rows are right, but the first day came first: give the reader the option `latestFirst`.")
    if stream.rows_read != sizes:
        raise Mistake("The rows are right, but a batch has not one day.")


def _day(attempt: Attempt, name: str) -> DataFrame:
    return attempt.spark.read.schema(SCHEMA).json(f"{attempt.paths.landing}/{name}")


def _five_days(sandbox: Sandbox) -> None:
    sandbox.keep(schema=planted.READINGS)
    for day in range(1, 6):
        planted.reading_file(sandbox, f"2025-06-0{day}.json", planted.FIRST[: day + 2], day)


DAYS = Exercise(
    id="03.1",
    title="Two days, the later one first",
    starter=DAYS_STARTER,
    hints=(
        "Take the stream above as your model: same sink, same trigger. Three things are different, all of them where "
        "the files are described, and the name.",
        "`[13]` in a path means 1 or 3. `latestFirst` is an option of the reader, as `maxFilesPerTrigger` is.",
        '`.option("latestFirst", True)` and `.json(f"{DA.paths.landing}/2025-06-0[13].json")`; after the sink '
        '`.queryName("odd_days")`.',
    ),
    solution=DAYS_SOLUTION,
    why=(
        "The path says which files there are at all, the limit how many a batch takes, and the order is that of their "
        "times. All three belong to the source, so they are said where it is read."
    ),
    check=check_days,
    hidden=(
        HiddenTest(
            _five_days, ("odd_days", planted.batch_sizes("odd_days")), says="Other readings, of five days, have landed."
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
            "Your stream has read the history up to the update, and died there. Tell the reader to pass over it: "
            "`skipChangeCommits`, before `.table(...)`."
        )
    attempt.wait_for_end(stream, "It was to end when it has read what is there: `.trigger(availableNow=True)`.")
    attempt.must_have_checkpoint(stream, "as_recorded")
    made = attempt.table("as_recorded")
    now = attempt.spark.table("bronze")
    right = _appended(attempt)
    first_day = attempt.spark.sql("SELECT * FROM bronze VERSION AS OF 0")
    if attempt.is_same(made, now):
        raise Mistake(
            "These are the corrected values. Without `startingVersion` a reader begins with the table as it is now, "
            "and then follows what comes."
        )
    if attempt.is_same(made, right.exceptAll(first_day)):
        raise Mistake("The first day is missing. It is version 0, and `startingVersion` names the first that is read.")
    if attempt.is_same(made, right.union(now)):
        raise Mistake(
            "`ignoreChanges` hands on the files that the update wrote anew, so each reading is there twice. "
            "`skipChangeCommits` passes over the version as a whole."
        )
    attempt.compare(made, right, "as_recorded")


def _corrected_table(sandbox: Sandbox) -> None:
    """Make a table whose history has two corrections between its appends."""
    planted.bronze(sandbox)
    sandbox.spark.sql("UPDATE bronze SET heartrate = -heartrate WHERE heartrate < 0")
    planted.more_bronze(sandbox)
    sandbox.spark.sql("DELETE FROM bronze WHERE device_id = 4")


def _third_append(sandbox: Sandbox) -> None:
    sandbox.append("bronze", planted.THIRD, planted.READINGS)


def _appended(attempt: Attempt) -> DataFrame:
    """Return what was appended to `bronze`, as it was then; a lesson's experiment may have added versions."""
    reader = attempt.spark.readStream.option("startingVersion", 0).option("skipChangeCommits", True)
    return attempt.rows_of_stream(reader.table("bronze"))


HISTORY = Exercise(
    id="03.2",
    title="As it was recorded",
    starter=HISTORY_STARTER,
    hints=(
        "The table as it is has the corrected values. The ones from before are in its history: in which version does "
        "it begin?",
        "In the history, version 3 is the update, at which a reader dies unless it is told to pass over it. So two "
        "options of the reader are needed.",
        '`spark.readStream.option("startingVersion", 0).option("skipChangeCommits", True).table("bronze")`',
    ),
    solution=HISTORY_SOLUTION,
    why=(
        "A Delta table keeps the files of its earlier versions, and a stream that begins at version 0 reads what each "
        "version has added. Version 3 adds nothing new: it replaces. It is passed over, and with it the correction."
    ),
    check=check_history,
    hidden=(
        HiddenTest(
            _corrected_table,
            ("as_recorded",),
            later=(_third_append,),
            says="It was run on a table with another history: two corrections, and rows after a restart.",
        ),
    ),
    wrong=(
        WrongAnswer(HISTORY_SOLUTION.replace('    .option("startingVersion", 0)\n', ""), "the corrected values"),
        WrongAnswer(HISTORY_SOLUTION.replace('    .option("skipChangeCommits", True)\n', ""), "died there"),
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
