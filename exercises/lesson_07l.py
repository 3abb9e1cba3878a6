"""Exercises of lab 07L: what three broken pipelines have done to their tables, and for each a repair that lasts.

Two checks do not only look: they let the next days land and run the pipeline, since a table that is right today says
nothing about tomorrow. What they land stays there, so that a check can be asked again.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from lesson_exercises import planted

from streaming_classroom.data.data_factory import DirectoryTarget
from streaming_classroom.data.datasets import DatasetBatch
from streaming_classroom.exercises import (
    Attempt,
    Exercise,
    HiddenTest,
    MadeStream,
    Makes,
    Mistake,
    NotTried,
    WrongAnswer,
)

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.streaming import DataStreamWriter, StreamingQuery

    from streaming_classroom.hidden_tests import Sandbox

_COLUMNS = "device_id INT, mrn LONG, heartrate {}, time DOUBLE"
_READINGS = _COLUMNS.format("DOUBLE")
_TEXTS = _COLUMNS.format("STRING")
_PIPELINES = ("archive", "ward", "vitals")


def _folder(attempt: Attempt, pipeline: str) -> str:
    return f"{attempt.paths.working_dir}/{pipeline}_in"


def _day(day: int) -> str:
    return f"2025-06-{day:02}.json"


def _has_landed(attempt: Attempt, pipeline: str, day: int) -> bool:
    return attempt.paths.exists(f"{_folder(attempt, pipeline)}/{_day(day)}")


def _land(attempt: Attempt, pipeline: str, *days: int) -> None:
    folder = DirectoryTarget(attempt.paths.local(_folder(attempt, pipeline)), pipeline)
    source = attempt.paths.local(f"{attempt.paths.datasets}/device-readings/readings")
    for day in days:
        folder.land(DatasetBatch(_day(day), {_day(day): source / _day(day)}), day)


def _readings(attempt: Attempt, pipeline: str, *days: int) -> DataFrame:
    """Return what has landed for a pipeline: all of it, or some days."""
    every = attempt.spark.read.schema(_READINGS).json(_folder(attempt, pipeline))
    names = ", ".join(f"'{_day(day)}'" for day in days)
    return every.where(f"_metadata.file_name IN ({names})") if days else every


def _run(
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
    source = attempt.spark.readStream.schema(_READINGS).option("maxFilesPerTrigger", 1).json(_folder(attempt, pipeline))
    checkpoint = f"{attempt.paths.checkpoints}/{pipeline}"
    stream = MadeStream(start(source.writeStream.option("checkpointLocation", checkpoint).trigger(availableNow=True)))
    ended = stream.has_ended(min(40.0, attempt.left))
    if not ended:
        stream.query.stop()
        raise Mistake("The next run of the pipeline did not finish in time.")
    if not (may_say and may_say in str(stream.error)):
        attempt.must_not_have_failed(stream)
    return stream


def _must_have_run(attempt: Attempt) -> None:
    if attempt.words_of_error:
        raise Mistake(f"Your cell raised an error: {attempt.words_of_error}")


# ------------------------------------------------------------------------------------------------ 07L.1 the diagnosis

MORNING_STARTER = """
%sql
DROP VIEW IF EXISTS morning_vw;
-- CREATE TEMP VIEW morning_vw AS
-- SELECT 'archive' AS pipeline, ...
-- UNION ALL
-- SELECT 'ward', ...
"""

MORNING_SOLUTION = """
%sql
DROP VIEW IF EXISTS morning_vw;
CREATE TEMP VIEW morning_vw AS
SELECT 'archive' AS pipeline, (SELECT count(*) FROM archive_files) AS landed,
       count(*) AS in_table, count(DISTINCT device_id, time) AS different
FROM archive
UNION ALL
SELECT 'ward', (SELECT count(*) FROM ward_files), count(*), count(DISTINCT device_id, time) FROM ward
UNION ALL
SELECT 'vitals', (SELECT count(*) FROM vitals_files), count(*), count(DISTINCT device_id, time) FROM vitals
"""


def check_morning(attempt: Attempt) -> None:
    """Compare the view with the tables and the files as they are now."""
    view = attempt.view("morning_vw")
    if attempt.is_same(view, _morning(attempt)):
        return
    if attempt.is_same(view, _morning(attempt, different="count(*)")):
        raise Mistake("`different` counts every row. Count identical rows once: use `DISTINCT`.")
    if attempt.is_same(view, _morning(attempt, different="count(DISTINCT device_id)")):
        raise Mistake("`different` counts devices. Count distinct pairs of device and time, which identify a reading.")
    attempt.compare(view, _morning(attempt), "morning_vw")


def _morning(attempt: Attempt, different: str = "count(DISTINCT device_id, time)") -> DataFrame:
    rows = []
    for pipeline in _PIPELINES:
        landed = attempt.spark.read.text(_folder(attempt, pipeline)).count()
        counts = attempt.table(pipeline).selectExpr("count(*)", different).first()
        rows.append((pipeline, landed, *counts))
    return attempt.spark.createDataFrame(rows, "pipeline STRING, landed LONG, in_table LONG, different LONG")


def _three_tables(sandbox: Sandbox) -> None:
    """Make tables with readings that share their device or their time, and files with other counts of lines."""
    rows = planted.FIRST[:6]
    again = ((1, 901, 5.0, planted.MIDNIGHT + 60), (9, 901, 0.0, planted.MIDNIGHT + 60))  # the first's key; its time
    for pipeline, more, lines in (("archive", rows[:2], 5), ("ward", again, 7), ("vitals", again + rows[2:4], 11)):
        sandbox.append(pipeline, [*rows, *more], _READINGS)
        sandbox.view(f"{pipeline}_files", sandbox.frame([(str(n),) for n in range(lines)], "value STRING"))


MORNING = Exercise(
    id="07L.1",
    title="Three tables, one question",
    starter=MORNING_STARTER,
    hints=(
        "Write three queries of the same form, one per pipeline, and combine them with `UNION ALL`.",
        "The number of lines is a subquery in parentheses: `(SELECT count(*) FROM archive_files) AS landed`.",
        "`SELECT 'archive' AS pipeline, (...) AS landed, count(*) AS in_table, count(DISTINCT device_id, time) AS "
        "different FROM archive`",
    ),
    solution=MORNING_SOLUTION,
    why=(
        "If the table has more rows than lines, and more rows than different rows, something was written twice. If it "
        "has fewer rows than lines, something is not there yet, or is lost. Each case needs a different repair."
    ),
    check=check_morning,
    hidden=(
        HiddenTest(
            _three_tables,
            ("morning_vw",),
            says="Your cell was run on other tables: some readings share their device, some their time.",
        ),
    ),
    wrong=(
        WrongAnswer(MORNING_SOLUTION.replace("DISTINCT device_id, time", "*"), "counts every row"),
        WrongAnswer(MORNING_SOLUTION.replace("DISTINCT device_id, time", "DISTINCT device_id"), "counts devices"),
        WrongAnswer(MORNING_SOLUTION[: MORNING_SOLUTION.rindex("UNION ALL")], "is missing"),
        WrongAnswer(MORNING_SOLUTION.replace("FROM vitals_files", "FROM archive_files"), "should not be there"),
        WrongAnswer(MORNING_SOLUTION.replace(" AS in_table", ""), "column `in_table` is missing"),
        WrongAnswer(MORNING_SOLUTION.replace("UNION ALL", "UNION EVERYTHING"), "raised an error"),
    ),
    makes=Makes(views=("morning_vw",)),
)

# ------------------------------------------------------------------------------- 07L.2 the checkpoint that was deleted

_NO_REPAIR = "SELECT 'a statement that leaves each row of archive once'"

ARCHIVE_STARTER = f"""
DA.exercise("07L.2")  # removes what an earlier attempt created
break_archive()  # and breaks it anew

repair = "{_NO_REPAIR}"
display(spark.sql(repair))
"""

ARCHIVE_SOLUTION = """
DA.exercise("07L.2")  # removes what an earlier attempt created
break_archive()  # and breaks it anew

repair = "INSERT OVERWRITE archive SELECT DISTINCT * FROM archive"
display(spark.sql(repair))
"""

_CLEAN_UP = 'dbutils.fs.rm(f"{DA.paths.checkpoints}/archive", recurse=True)\n'
_NEXT = 3  # the day that the check lands


def check_archive(attempt: Attempt) -> None:
    """Look at the rows, then let the next day land and run the pipeline with the checkpoint that is there."""
    repair = attempt.value("repair")
    if any(table.isTemporary and table.name == "archive" for table in attempt.spark.catalog.listTables()):
        raise Mistake(
            "`archive` is now a temporary view, which hides the table. Run `DROP VIEW archive`, and repair the table."
        )
    _must_have_run(attempt)
    checked_before = _has_landed(attempt, "archive", _NEXT)
    landed = _readings(attempt, "archive")
    if not attempt.is_same(attempt.table("archive"), landed):
        if checked_before:
            raise Mistake(_next_day_is_wrong())
        _say_what_is_wrong_with_the_archive(attempt, landed, repair)
    if not attempt.paths.exists(f"{attempt.paths.checkpoints}/archive"):
        raise Mistake(
            "The table is right, but its checkpoint is gone: the next run would read all files again. Keep the "
            "checkpoint of the second start, which contains all files that are in the table."
        )
    if not checked_before:
        _land(attempt, "archive", _NEXT)
        _run(attempt, "archive", lambda writer: writer.toTable("archive"))
    if not attempt.is_same(attempt.table("archive"), _readings(attempt, "archive")):
        raise Mistake(_next_day_is_wrong())


def _next_day_is_wrong() -> str:
    return (
        f"The table was right until {_day(_NEXT)} landed and the pipeline ran; now it has duplicate rows. The "
        "checkpoint does not know what is in the table: keep the checkpoint of the second start."
    )


def _say_what_is_wrong_with_the_archive(attempt: Attempt, landed: DataFrame, repair: str) -> None:
    made = attempt.table("archive")
    if attempt.is_same(made, landed.union(landed)):
        if repair == _NO_REPAIR:
            raise NotTried
        raise Mistake(
            "`archive` has every row twice, as before: your statement did not change the table, or a run read all "
            "files again. Keep the checkpoint, and keep one of each row."
        )
    if not made.limit(1).collect():
        if attempt.paths.exists(f"{attempt.paths.checkpoints}/archive"):
            raise Mistake(
                "`archive` is empty, and its checkpoint says that all files have been read: no run will restore the "
                "rows. Keep one of each row instead."
            )
        raise Mistake("`archive` is empty, and no run has filled it yet. Run the pipeline, or keep one of each row.")
    attempt.compare(made, landed, "archive")


_REPAIR = 'repair = "INSERT OVERWRITE archive SELECT DISTINCT * FROM archive"'


def _archive_twice(sandbox: Sandbox) -> None:
    """Load two files, lose the checkpoint, and load them again."""
    folder = f"{sandbox.paths.working_dir}/archive_in"
    # No reading was sent twice: who goes back to the version before the second load has the right rows, too.
    for number, rows in enumerate((planted.FIRST[:9], planted.SECOND[:4]), 1):
        planted.reading_file(sandbox, f"old-{number}.json", rows, number, folder)
    for checkpoint in ("lost", "archive"):
        writer = planted.files_stream(sandbox, folder, maxFilesPerTrigger=1).writeStream.trigger(availableNow=True)
        query = writer.option("checkpointLocation", f"{sandbox.paths.checkpoints}/{checkpoint}").toTable("archive")
        planted.run_out(query)
    sandbox.keep(break_archive=lambda: None)


ARCHIVE = Exercise(
    id="07L.2",
    title="The checkpoint that was deleted",
    starter=ARCHIVE_STARTER,
    hints=(
        "Rows that are identical in every column are one reading: no device measures twice at the same time.",
        "`INSERT OVERWRITE archive` replaces all rows of the table with the result of the query that follows.",
        "`SELECT DISTINCT * FROM archive` is that query. Also consider which files the new checkpoint contains.",
    ),
    solution=ARCHIVE_SOLUTION,
    why=(
        "The second start created a new checkpoint. Because it read all files again, that checkpoint contains every "
        "file. So the checkpoint is correct, and only the table needs a repair. If you delete the checkpoint again for "
        "a clean start, the next run writes all rows again."
    ),
    check=check_archive,
    hidden=(
        HiddenTest(_archive_twice, ("archive",), says="Your cell was run on another archive that was loaded twice."),
    ),
    wrong=(
        WrongAnswer(
            ARCHIVE_SOLUTION.replace(_REPAIR, 'repair = "TRUNCATE TABLE archive"'), "no run will restore the rows"
        ),
        WrongAnswer(ARCHIVE_SOLUTION + _CLEAN_UP, "checkpoint is gone"),
        WrongAnswer(ARCHIVE_SOLUTION + _CLEAN_UP + "run_archive()\n", "every row twice, as before"),
        WrongAnswer(
            ARCHIVE_SOLUTION.replace("INSERT OVERWRITE archive", "CREATE OR REPLACE TEMP VIEW once_vw AS"),
            "every row twice, as before",
        ),
        WrongAnswer(
            ARCHIVE_SOLUTION + _CLEAN_UP + 'dbutils.fs.mkdirs(f"{DA.paths.checkpoints}/archive")\n',
            "does not know what is in the table",
        ),
        WrongAnswer(ARCHIVE_SOLUTION.replace("* FROM archive", "* FROM archive WHERE heartrate >= 0"), "are missing"),
        WrongAnswer(ARCHIVE_SOLUTION.replace("INSERT OVERWRITE", "OVERWRITE"), "raised an error"),
    ),
    makes=Makes(
        variables=("repair",), tables=("archive",), folders=("archive_in", "checkpoints/archive"), by_starter=True
    ),
)

# -------------------------------------------------------------------------------------- 07L.3 the batch that came twice

WARD_STARTER = """
DA.exercise("07L.3")  # removes what an earlier attempt created
break_ward()  # and breaks it anew

spark.sql("SELECT 'a statement that leaves each row of ward once'")


def save_readings(batch, batch_id):
    pass  # add the batch to the table `ward`, in a way that can be done twice
"""

WARD_SOLUTION = """
DA.exercise("07L.3")  # removes what an earlier attempt created
break_ward()  # and breaks it anew

spark.sql("INSERT OVERWRITE ward SELECT DISTINCT * FROM ward")


def save_readings(batch, batch_id):
    (batch.write
        .option("txnAppId", "ward")
        .option("txnVersion", batch_id)
        .mode("append")
        .saveAsTable("ward"))
"""

WARD_BY_MERGE = '''
DA.exercise("07L.3")  # removes what an earlier attempt created
break_ward()  # and breaks it anew

spark.sql("INSERT OVERWRITE ward SELECT DISTINCT * FROM ward")


def save_readings(batch, batch_id):
    batch.createOrReplaceTempView("batch_vw")
    batch.sparkSession.sql("""
        MERGE INTO ward AS old
        USING batch_vw AS new
        ON old.device_id = new.device_id AND old.time = new.time
        WHEN NOT MATCHED THEN INSERT *
    """)
'''

_POWER = "the power fails"
_WITH_POWER_CUT, _AFTER_IT = 3, 4  # the days that the check lands


def check_ward(attempt: Attempt) -> None:
    """Look at the rows, then let two more days land: the first with a power cut after the write, then a restart."""
    save = attempt.value("save_readings")
    _must_have_run(attempt)
    checked_before = _has_landed(attempt, "ward", _AFTER_IT)
    if not checked_before:
        _must_be_repaired(attempt, save)
        _land(attempt, "ward", _WITH_POWER_CUT, _AFTER_IT)
        _run(attempt, "ward", lambda writer: writer.foreachBatch(_then_the_power_fails(save)).start(), _POWER)
    _run(attempt, "ward", lambda writer: writer.foreachBatch(save).start())  # asked again, it has what failed before it
    _must_have_saved_once(attempt)


def _then_the_power_fails(save: Callable[[DataFrame, int], object]) -> Callable[[DataFrame, int], None]:
    def save_and_die(batch: DataFrame, batch_id: int) -> None:
        save(batch, batch_id)
        raise RuntimeError(_POWER)

    return save_and_die


def _must_be_repaired(attempt: Attempt, save: Any) -> None:
    made, landed = attempt.table("ward"), _readings(attempt, "ward")
    code = getattr(save, "__code__", None)
    is_starter = code is not None and not code.co_names  # it calls nothing
    if attempt.is_same(made, landed.union(_readings(attempt, "ward", 2))):
        if is_starter:
            raise NotTried
        raise Mistake(
            "`ward` has the second day twice, as before. Your function handles only future batches; repair the "
            "existing rows with a statement, as in the archive."
        )
    attempt.compare(made, landed, "ward")
    if is_starter:
        raise Mistake(
            "The table is right, but `save_readings` adds nothing to it, so the next days are lost. Write the batch."
        )


def _must_have_saved_once(attempt: Attempt) -> None:
    made, landed = attempt.table("ward"), _readings(attempt, "ward")
    if attempt.is_same(made, landed):
        return
    old, third, fourth = (_readings(attempt, "ward", *days) for days in ((1, 2), (3,), (4,)))
    if attempt.is_same(made, landed.union(third)):
        raise Mistake(
            "The table was right until the power failed again: your function wrote the batch of the third day, "
            "received the same batch after the restart, and wrote it again. Make the write idempotent."
        )
    if attempt.is_same(made, old.union(third)):
        raise Mistake(
            "The third day is there once, and the fourth is missing. Delta skips a write whose `txnVersion` it has "
            "already committed. Use a number that increases with each batch, such as `batch_id`."
        )
    if attempt.is_same(made, old):
        raise Mistake(
            "No row of a new day was written to the table. A reading is identified by its device and its time: a MERGE "
            "must compare both."
        )
    if attempt.is_same(made, fourth):
        raise Mistake(
            '`ward` has the last batch only: each batch overwrites all earlier rows. Write with `.mode("append")`.'
        )
    attempt.compare(made, landed, "ward")


_TXN = '        .option("txnAppId", "ward")\n        .option("txnVersion", batch_id)\n'
_STATEMENT = 'spark.sql("INSERT OVERWRITE ward SELECT DISTINCT * FROM ward")\n'


def _ward_with_a_batch_twice(sandbox: Sandbox) -> None:
    """Plant a table that has four readings once, and the two readings of its last batch twice."""
    sandbox.append("ward", [*planted.FIRST[:4], *planted.SECOND[:2], *planted.SECOND[:2]], _READINGS)
    sandbox.keep(break_ward=lambda: None)


def _batches_again(sandbox: Sandbox) -> None:
    """Call the function for a batch, again in a new process, for a newer batch, and for the first one once more.

    The newer batch has a reading of another device at the time of a reading that the table has.
    """
    newer = (*planted.FIRST[4:7], (9, 909, 64.0, planted.MIDNIGHT + 60))
    third, fourth = (sandbox.frame(rows, _READINGS) for rows in (planted.THIRD, newer))
    sandbox.value("save_readings")(third, 3)
    sandbox.run_again()
    for batch, number in ((third, 3), (fourth, 4), (third, 3)):
        sandbox.value("save_readings")(batch, number)


WARD = Exercise(
    id="07L.3",
    title="The batch that came twice",
    starter=WARD_STARTER,
    hints=(
        "You need two repairs: the statement from the archive for existing rows, and the function for future batches.",
        "Lesson 04 shows two ways to make such a function idempotent: mark the write with the number of the batch, or "
        "insert only readings that are not in the table.",
        '`batch.write.option("txnAppId", "ward").option("txnVersion", batch_id).mode("append").saveAsTable("ward")`; '
        "or a MERGE on `device_id` and `time`.",
    ),
    solution=WARD_SOLUTION,
    why=(
        "Spark calls the function at least once for each batch. With the batch's number in the commit, Delta "
        "recognizes the second call and writes nothing. A MERGE on device and time that inserts only missing rows also "
        "works."
    ),
    check=check_ward,
    hidden=(
        HiddenTest(
            _ward_with_a_batch_twice,
            ("ward",),
            after=_batches_again,
            says="Your cell was run on another ward: a batch came again after a restart, an old one after a newer "
            "one, and two devices have measured at the same time.",
        ),
    ),
    wrong=(
        WrongAnswer(WARD_SOLUTION.replace(_TXN, ""), "and wrote it again"),
        WrongAnswer(WARD_SOLUTION.replace(_STATEMENT, ""), "the second day twice, as before"),
        WrongAnswer(
            WARD_STARTER.replace(
                "SELECT 'a statement that leaves each row of ward once'",
                "INSERT OVERWRITE ward SELECT DISTINCT * FROM ward",
            ),
            "adds nothing to it",
        ),
        WrongAnswer(WARD_SOLUTION.replace('"txnVersion", batch_id', '"txnVersion", 1'), "the fourth is missing"),
        WrongAnswer(WARD_SOLUTION.replace(_TXN, "").replace('"append"', '"overwrite"'), "the last batch only"),
        WrongAnswer(WARD_BY_MERGE.replace(" AND old.time = new.time", ""), "No row of a new day"),
        WrongAnswer(WARD_BY_MERGE.replace("old.device_id = new.device_id AND ", ""), "at the same time"),
        WrongAnswer(WARD_SOLUTION.replace('        .option("txnAppId", "ward")\n', ""), "has failed"),
    ),
    makes=Makes(
        variables=("save_readings",), tables=("ward",), folders=("ward_in", "checkpoints/ward"), by_starter=True
    ),
)

# ------------------------------------------------------------------------------------------ 07L.4 the file that changed

VITALS_STARTER = """
DA.exercise("07L.4")  # removes what an earlier attempt created
break_vitals()  # and breaks it anew

vitals = None  # start the pipeline again here, with a query that can read the new file
"""

VITALS_SOLUTION = '''
DA.exercise("07L.4")  # removes what an earlier attempt created
break_vitals()  # and breaks it anew

vitals = (spark.sql("""
        SELECT device_id, mrn, CAST(replace(heartrate, ' bpm', '') AS DOUBLE) AS heartrate, time
        FROM vitals_text_vw
    """)
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/vitals")
    .trigger(availableNow=True)
    .toTable("vitals"))
'''


_CAST_FAILS = ("CAST_INVALID_INPUT", "TASK_WRITE_FAILED")  # the second where it is a task of the write that casts


def check_vitals(attempt: Attempt) -> None:
    """The batch that was planned is run again by the restart, so its rows are the proof."""
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
    """Return the right rows: all, or those of the file that changed, or of those before it."""
    texts = attempt.spark.read.schema(_TEXTS).json(_folder(attempt, "vitals"))
    if is_new is not None:
        texts = texts.where(f"startswith(_metadata.file_name, '2025-06-') <> {is_new}")
    return texts.selectExpr("device_id", "mrn", "double(replace(heartrate, ' bpm', '')) AS heartrate", "time")


_QUERY = VITALS_SOLUTION[VITALS_SOLUTION.index("(spark.sql(") : VITALS_SOLUTION.index("\n    .writeStream")]
_OLD_SCHEMA = '(spark.readStream.schema(schema).json(f"{DA.paths.working_dir}/vitals_in")'
_MIXED = ("61.5 bpm", "60", None, "-0.5 bpm", "112.0")


def _vitals_that_stopped(sandbox: Sandbox) -> None:
    """Run the pipeline over one file; the next one has heart rates with a unit, and it fails."""
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


VITALS = Exercise(
    id="07L.4",
    title="The file that changed",
    starter=VITALS_STARTER,
    hints=(
        "The failed batch is in the offset log, not in the commit log. What runs it again, and with which checkpoint?",
        "`replace(heartrate, ' bpm', '')` removes the unit if there is one, and does not change other values.",
        "The query of `run_vitals` with `CAST(replace(heartrate, ' bpm', '') AS DOUBLE) AS heartrate`; do not "
        "change its checkpoint, trigger, or table.",
    ),
    solution=VITALS_SOLUTION,
    why=(
        "A strict cast stopped the query before a wrong row was written, and the failed batch is still in the offset "
        "log. The column expressions of a stateless query may change between runs, so the fixed query runs that batch."
    ),
    check=check_vitals,
    hidden=(
        HiddenTest(
            _vitals_that_stopped,
            ("vitals",),
            later=(_one_more_file,),
            says="Your cell was run on other files, with and without the unit, and on one more after a restart.",
        ),
    ),
    wrong=(
        WrongAnswer(VITALS_SOLUTION.replace("replace(heartrate, ' bpm', '')", "heartrate"), "fails on the new file"),
        WrongAnswer(
            VITALS_SOLUTION.replace("CAST(replace(heartrate, ' bpm', '')", "try_cast(heartrate"),
            "lost their heart rate",
        ),
        WrongAnswer(VITALS_SOLUTION.replace(_QUERY, _OLD_SCHEMA), "lost their heart rate"),
        WrongAnswer(VITALS_SOLUTION.replace("checkpoints}/vitals", "checkpoints}/vitals_2"), "are there twice"),
        WrongAnswer(
            VITALS_SOLUTION.replace("vitals_text_vw\n", "vitals_text_vw\n        WHERE heartrate NOT LIKE '%bpm'\n"),
            "the others are lost",
        ),
        WrongAnswer(
            VITALS_SOLUTION.replace("\nvitals = ", '\nspark.sql("DROP TABLE vitals")\n\nvitals = '), "two days are gone"
        ),
        WrongAnswer(VITALS_SOLUTION.replace("    .trigger(availableNow=True)\n", ""), "still running"),
        WrongAnswer(VITALS_SOLUTION.rstrip() + ".awaitTermination()\n", "on a separate line"),
    ),
    makes=Makes(
        variables=("vitals",),
        tables=("vitals",),
        folders=("vitals_in", "checkpoints/vitals", "checkpoints/vitals_2"),
        by_starter=True,
    ),
)

EXERCISES = (MORNING, ARCHIVE, WARD, VITALS)
