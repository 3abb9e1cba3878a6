"""Exercises of lesson 04: files that must be written again, and a function that writes each batch exactly once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lesson_exercises import planted

from streaming_base.waiting import last_batch
from streaming_classroom.exercises import Attempt, Exercise, HiddenTest, Makes, Mistake, WrongAnswer

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.exercises import MadeStream, Sandbox

SCHEMA = "device_id INT, mrn LONG, heartrate DOUBLE, time DOUBLE"
ENDS = "The query must stop after it has read the available data: use `.trigger(availableNow=True)`."
NO_CHECKPOINT = '    .option("checkpointLocation", f"{DA.paths.checkpoints}/%s")\n'


def _landed(attempt: Attempt, file: str = "") -> DataFrame:
    return attempt.spark.read.schema(SCHEMA).json(f"{attempt.paths.landing}/{file}")


# ----------------------------------------------------------------------------------------- 04.1 write the files again

FILES_STARTER = """
DA.exercise("04.1")  # removes what an earlier attempt created

directory = f"{DA.paths.working_dir}/faulty_json"  # where your files are

faulty_files = None  # write the stream here
"""

FILES_SOLUTION = """
DA.exercise("04.1")  # removes what an earlier attempt created

directory = f"{DA.paths.working_dir}/faulty_json_2"  # where your files are

faulty_files = (readings
    .where("heartrate < 0")
    .writeStream
    .format("json")
    .option("checkpointLocation", f"{DA.paths.checkpoints}/faulty_json_2")
    .trigger(availableNow=True)
    .start(directory))
"""

_WRONG_LIMIT = "heartrate < 60"  # of the colleague's query


def check_files(attempt: Attempt) -> None:
    """Look at the rows first; where they are wrong, say which of the two logs has kept the query from writing."""
    stream = attempt.stream("faulty_files")
    attempt.wait_for_end(stream, ENDS)
    if stream.sink.startswith("Delta"):
        raise Mistake('You wrote a Delta table, which is the default here. To write JSON files, set `.format("json")`.')
    made, landed = _files_in(attempt), _landed(attempt)
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
    """Return what is in the learner's directory; None where there is none."""
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
    """Land two files, and write them as the colleague has: with another limit."""
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


FILES = Exercise(
    id="04.1",
    title="Write the files again",
    starter=FILES_STARTER,
    hints=(
        "Where is it recorded which files a query has read? And where, which batches have been written?",
        "The checkpoint knows the files that were read, and `_spark_metadata` in the directory knows the batches that "
        "were written. Which of the two can stay?",
        "A new checkpoint makes the query read all files, as batches 0 and 1. The old directory already has batches of "
        "these numbers.",
    ),
    solution=FILES_SOLUTION,
    why=(
        "With the old checkpoint the query reads nothing, and with the old directory the sink skips every batch, both "
        "without an error. The checkpoint and the directory belong together: a query that starts from the first file "
        "needs a new pair."
    ),
    check=check_files,
    hidden=(
        HiddenTest(
            _two_files_and_a_mistake,
            (_corrected_files,),
            later=(planted.third_file,),
            says=planted.WHAT_IS_THERE,
        ),
    ),
    wrong=(
        WrongAnswer(FILES_SOLUTION.replace("faulty_json_2", "faulty_json"), "has run no batch"),
        WrongAnswer(FILES_SOLUTION.replace("checkpoints}/faulty_json_2", "checkpoints}/faulty_json"), "no batch"),
        WrongAnswer(
            FILES_SOLUTION.replace("working_dir}/faulty_json_2", "working_dir}/faulty_json"),
            "the sink has skipped them",
        ),
        WrongAnswer(FILES_SOLUTION.replace('    .format("json")\n', ""), "a Delta table, which is the default here"),
        WrongAnswer(FILES_SOLUTION.replace('"json"', '"parquet"'), "are not JSON"),
        WrongAnswer(FILES_SOLUTION.replace('    .where("heartrate < 0")\n', ""), "have every reading"),
        WrongAnswer(FILES_SOLUTION.replace("    .trigger(availableNow=True)\n", ""), "still running"),
        WrongAnswer(FILES_SOLUTION.replace(NO_CHECKPOINT % "faulty_json_2", ""), "raised an error"),
        WrongAnswer(
            FILES_SOLUTION.replace("    .trigger(", '    .outputMode("complete")\n    .trigger('), "raised an error"
        ),
    ),
    makes=Makes(
        variables=("faulty_files",),
        folders=("checkpoints/faulty_json_2", "faulty_json_2"),
    ),
)

# ------------------------------------------------------------------------------------------- 04.2 alarms, exactly once

ONCE_STARTER = """
DA.exercise("04.2")  # removes what an earlier attempt created

def append_alarms(batch, batch_id):
    pass  # append the batch to the table `alarms`, so that it is safe to run twice

alarms_stream = None  # write the stream here
"""

ONCE_SOLUTION = """
DA.exercise("04.2")  # removes what an earlier attempt created

def append_alarms(batch, batch_id):
    (batch.write
        .option("txnAppId", "ward-alarms")
        .option("txnVersion", batch_id)
        .mode("append")
        .saveAsTable("alarms"))

alarms_stream = (readings
    .where("heartrate > 112")
    .writeStream
    .foreachBatch(append_alarms)
    .option("checkpointLocation", f"{DA.paths.checkpoints}/alarms")
    .trigger(availableNow=True)
    .start())
"""


def check_once(attempt: Attempt) -> None:
    """Compare the rows, then do what a restart after a crash does: call the function for the last batch again."""
    stream = attempt.stream("alarms_stream")
    attempt.wait_for_end(stream, ENDS)
    attempt.must_have_checkpoint(stream, "alarms")
    if stream.sink.startswith("Delta"):
        raise Mistake(
            "`toTable` is exactly-once by itself. In this exercise your function must write the table: "
            "`.foreachBatch(append_alarms)`."
        )
    if not attempt.spark.catalog.tableExists("alarms"):
        raise Mistake("There is no table `alarms`: your function was called but did not write a table of that name.")
    made = attempt.table("alarms")
    landed = _landed(attempt)
    alarms, first_day = (rows.where("heartrate > 112") for rows in (landed, _landed(attempt, "2025-06-01.json")))
    if attempt.is_same(made, landed):
        raise Mistake("`alarms` has every reading. Only heart rates above 112 are alarms.")
    if attempt.is_same(made, first_day):
        raise Mistake(
            "`alarms` has the first batch only. Delta skips a write whose `txnVersion` it has already committed: use "
            "a number that grows with each batch, such as `batch_id`."
        )
    if attempt.is_same(made, alarms.exceptAll(first_day)):
        raise Mistake(
            "`alarms` has the last batch only: each batch has overwritten the previous one. Write with "
            '`.mode("append")`.'
        )
    attempt.compare(made, alarms, "alarms")
    _must_not_write_again(attempt, stream, alarms)


def _must_not_write_again(attempt: Attempt, stream: MadeStream, alarms: DataFrame) -> None:
    """Call the function for the last batch again; what it writes then is taken back."""
    version = attempt.spark.sql("DESCRIBE HISTORY alarms").agg({"version": "max"}).first()[0]
    attempt.value("append_alarms")(alarms, last_batch(stream.query))
    if not attempt.is_same(attempt.table("alarms"), alarms):
        attempt.spark.sql(f"RESTORE TABLE alarms TO VERSION AS OF {version}")
        raise Mistake(
            "The rows are right, but your function is not idempotent: if a batch is replayed with the same number, "
            "as after a crash, it writes the rows again. Set `txnAppId` and `txnVersion` on the write."
        )


def _alarms_of_one_moment(sandbox: Sandbox) -> None:
    """Land one more file, with an alarm of the second that an alarm of another device has in an earlier batch."""
    rows = (*planted.THIRD, (6, 906, 120.0, planted.MIDNIGHT + 420))
    planted.reading_file(sandbox, "ward-c.json", rows, 3)


def _first_batch_again(sandbox: Sandbox) -> None:
    """Call the function as a restart does: for the first batch, after newer ones, in a process that knows of none."""
    rows = sandbox.frame(planted.FIRST, planted.READINGS).where("heartrate > 112")
    sandbox.value("append_alarms")(rows, 0)


_BY_TIME = ONCE_SOLUTION.replace(
    ONCE_SOLUTION[ONCE_SOLUTION.index("    (batch.write") : ONCE_SOLUTION.index("\n\nalarms_stream")],
    """    if not batch.sparkSession.catalog.tableExists("alarms"):
        batch.limit(0).write.saveAsTable("alarms")
    batch.createOrReplaceTempView("batch_vw")
    batch.sparkSession.sql(\"\"\"
        MERGE INTO alarms AS old USING batch_vw AS new ON old.time = new.time
        WHEN NOT MATCHED THEN INSERT *\"\"\")
""",
)

ONCE = Exercise(
    id="04.2",
    title="Alarms, exactly once",
    starter=ONCE_STARTER,
    hints=(
        "Use the function of `readings_once`, with another table. You can put the filter before `.writeStream`.",
        "Set the options on `batch.write`, inside the function: each batch has one write, which needs the number of "
        "that batch.",
        '`batch.write.option("txnAppId", "ward-alarms").option("txnVersion", batch_id).mode("append")'
        '.saveAsTable("alarms")`',
    ),
    solution=ONCE_SOLUTION,
    why=(
        "Spark passes each batch to your function at least once, always with the same number. Delta stores that "
        "number in the commit with the rows, and skips a later write with the same number. Together this is "
        "exactly-once."
    ),
    check=check_once,
    hidden=(
        HiddenTest(
            planted.two_files,
            ("alarms",),
            later=(planted.crash_before_commit, _alarms_of_one_moment),
            after=_first_batch_again,
            says=planted.WHAT_IS_THERE
            + "Its last batch was replayed by a new process, its first batch was replayed after newer ones, and two "
            "devices have an alarm of the same second.",
        ),
    ),
    wrong=(
        WrongAnswer(
            ONCE_SOLUTION.replace('        .option("txnAppId", "ward-alarms")\n', "").replace(
                '        .option("txnVersion", batch_id)\n', ""
            ),
            "it writes the rows again",
        ),
        WrongAnswer(
            ONCE_SOLUTION.replace('        .option("txnAppId", "ward-alarms")\n', "")
            .replace('        .option("txnVersion", batch_id)\n', "")
            .replace(
                "    .trigger(", '    .option("txnAppId", "ward-alarms")\n    .option("txnVersion", 0)\n    .trigger('
            ),
            "it writes the rows again",
        ),
        WrongAnswer(ONCE_SOLUTION.replace('"txnVersion", batch_id', '"txnVersion", 1'), "the first batch only"),
        WrongAnswer(ONCE_SOLUTION.replace('"append"', '"overwrite"'), "the last batch only"),
        WrongAnswer(_BY_TIME, "an alarm of the same second"),
        WrongAnswer(ONCE_SOLUTION.replace('    .where("heartrate > 112")\n', ""), "has every reading"),
        WrongAnswer(
            ONCE_SOLUTION.replace("    .foreachBatch(append_alarms)\n", "").replace(
                "    .start())", '    .toTable("alarms"))'
            ),
            "`toTable` is exactly-once by itself",
        ),
        WrongAnswer(ONCE_SOLUTION.replace('        .option("txnAppId", "ward-alarms")\n', ""), "has failed"),
        WrongAnswer(ONCE_SOLUTION.replace(NO_CHECKPOINT % "alarms", ""), "temporary one"),
        WrongAnswer(ONCE_SOLUTION.replace("(append_alarms)", "(append_alarms())"), "raised an error"),
        WrongAnswer(ONCE_SOLUTION.replace("    .trigger(availableNow=True)\n", ""), "still running"),
    ),
    makes=Makes(variables=("alarms_stream", "append_alarms"), tables=("alarms",), folders=("checkpoints/alarms",)),
)

EXERCISES = (FILES, ONCE)
