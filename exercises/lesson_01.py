"""Exercises of lesson 01: query a stream in SQL, and write a stream to a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lesson_exercises import planted

from streaming_classroom.exercises import Attempt, Exercise, HiddenTest, Makes, Mistake, WrongAnswer

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.hidden_tests import Sandbox

# --------------------------------------------------------------------------------------------- 01.1 a question in SQL

ASK_STARTER = """
%sql
DROP VIEW IF EXISTS patients_tmp_vw;
-- CREATE TEMP VIEW patients_tmp_vw AS
-- SELECT ...
"""

ASK_SOLUTION = """
%sql
DROP VIEW IF EXISTS patients_tmp_vw;
CREATE TEMP VIEW patients_tmp_vw AS
SELECT mrn, count(*) AS readings, max(heartrate) AS highest
FROM streaming_tmp_vw
WHERE heartrate >= 0
GROUP BY mrn
"""


def check_question(attempt: Attempt) -> None:
    """Compare the view, run as a stream, with one query over the table."""
    view = attempt.view("patients_tmp_vw")
    if not view.isStreaming:
        raise Mistake("Your view reads a table, not the stream: select from `streaming_tmp_vw`.")
    if "mrn" not in [column.lower() for column in view.columns]:
        raise Mistake(
            "The view has no column `mrn`: the exercise asks for one row per patient, so group by `mrn` and select it."
        )
    try:
        made = attempt.rows_of_stream(view, mode="complete")
    except Exception as error:
        if "STREAMING_OUTPUT_MODE" not in str(error) and "without watermark" not in str(error):
            raise
        raise Mistake(
            "Your view does not aggregate: it emits every input row. For one row per patient, use `GROUP BY`."
        ) from error
    bronze = attempt.spark.table("bronze")
    if attempt.is_same(made, _per_patient(bronze)):
        raise Mistake(
            "The faulty readings are counted too. A heart rate below zero is not valid: filter those rows out."
        )
    attempt.compare(made, _per_patient(bronze.where("heartrate >= 0")), "patients_tmp_vw")


def _per_patient(readings: DataFrame) -> DataFrame:
    from pyspark.sql import functions as F

    return readings.groupBy("mrn").agg(F.count("*").alias("readings"), F.max("heartrate").alias("highest"))


def _bronze(sandbox: Sandbox) -> None:
    """Plant `bronze` with rates of 0, NULL and below 0 and a duplicate, and make its streaming view."""
    planted.bronze(sandbox)
    sandbox.view("streaming_tmp_vw", sandbox.stream("bronze"))


def _all_bronze(sandbox: Sandbox) -> None:
    """Plant both sets of readings, one of them late, a device that is new, and a patient who has changed devices."""
    _bronze(sandbox)
    planted.more_bronze(sandbox)
    sandbox.append("bronze", [(6, 904, 68.0, planted.MIDNIGHT + 10 * planted.HOUR)], planted.READINGS)


ASK = Exercise(
    id="01.1",
    title="A question of your own",
    starter=ASK_STARTER,
    hints=(
        "Write the query as if `streaming_tmp_vw` were an ordinary table: `SELECT`, `FROM`, `WHERE`, `GROUP BY`.",
        "`mrn` identifies a patient. A heart rate below zero is a sensor fault: `WHERE heartrate >= 0`.",
        "`SELECT mrn, count(*) AS readings, max(heartrate) AS highest FROM streaming_tmp_vw ...`",
    ),
    solution=ASK_SOLUTION,
    why=(
        "The query does not mention that the data is unbounded: over the table `bronze` it would return the same "
        "result. Spark can update the result with two numbers per patient, a count and a maximum, so it accepts the "
        "query over a stream."
    ),
    check=check_question,
    hidden=(
        HiddenTest(
            _all_bronze,
            ("patients_tmp_vw",),
            mode="complete",
            says=planted.WHAT_IS_THERE + "One patient has changed devices.",
        ),
    ),
    wrong=(
        WrongAnswer(ASK_SOLUTION.replace("FROM streaming_tmp_vw", "FROM bronze"), "reads a table, not the stream"),
        WrongAnswer(ASK_SOLUTION.replace("WHERE heartrate >= 0\n", ""), "faulty readings are counted"),
        WrongAnswer(ASK_SOLUTION.replace("mrn", "device_id"), "no column `mrn`"),
        WrongAnswer(
            ASK_SOLUTION.replace("count(*) AS readings, max(heartrate) AS highest", "heartrate AS highest").replace(
                "GROUP BY mrn\n", ""
            ),
            "For one row per patient, use `GROUP BY`",
        ),
        WrongAnswer(ASK_SOLUTION.replace("max(heartrate)", "avg(heartrate)"), "missing"),
        WrongAnswer(ASK_SOLUTION.replace("GROUP BY mrn", "GROUP BY mrn, device_id"), "has changed devices"),
        WrongAnswer(ASK_SOLUTION.replace("FROM streaming_tmp_vw", "FROM steaming_tmp_vw"), "raised an error"),
    ),
    makes=Makes(views=("patients_tmp_vw",)),
)

# ------------------------------------------------------------------------------------------------ 01.2 write a stream

WRITE_STARTER = """
DA.exercise("01.2")  # removes what an earlier attempt created

faulty = None  # write the stream here, with its sink, its trigger and its checkpoint
"""

WRITE_SOLUTION = """
DA.exercise("01.2")  # removes what an earlier attempt created

faulty = (spark.readStream
    .table("bronze")
    .where("heartrate < 0")
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/faulty_readings")
    .outputMode("append")
    .trigger(availableNow=True)
    .toTable("faulty_readings"))
"""


def check_written(attempt: Attempt) -> None:
    """Look at the query first, which explains most of what a table can be."""
    stream = attempt.stream("faulty")
    attempt.wait_for_end(
        stream, "A nightly job must stop after it has processed the available data: use `.trigger(availableNow=True)`."
    )
    made = attempt.table("faulty_readings")
    bronze = attempt.spark.table("bronze")
    if attempt.is_same(made, bronze):
        raise Mistake(
            "`faulty_readings` has every reading. The exercise asks only for those with a heart rate below zero."
        )
    if attempt.is_same(made, bronze.where("heartrate >= 0")):
        raise Mistake("These are the good readings. The exercise asks for the faulty ones.")
    if _checkpoint_is_not_its_own(stream.checkpoint):
        raise Mistake(
            "The checkpoint `device_counts` belongs to another query and records all input as already processed. "
            "Every query needs a checkpoint of its own: `.../faulty_readings`."
        )
    attempt.compare(made, bronze.where("heartrate < 0"), "faulty_readings")
    attempt.must_have_checkpoint(stream, "faulty_readings")


def _checkpoint_is_not_its_own(checkpoint: str | None) -> bool:
    return checkpoint is not None and _last(checkpoint) == "device_counts"


def _last(path: str) -> str:
    return path.rstrip("/").rpartition("/")[2]


WRITE = Exercise(
    id="01.2",
    title="A stream of your own, in a table",
    starter=WRITE_STARTER,
    hints=(
        "A chain in three parts: `spark.readStream.table(...)`, the filter, and `.writeStream` with its settings.",
        "A filter emits rows and never changes a row that it has emitted, so the output mode is `append`, the default.",
        '`.option("checkpointLocation", f"{DA.paths.checkpoints}/faulty_readings")`, `.trigger(availableNow=True)` and '
        '`.toTable("faulty_readings")`.',
    ),
    solution=WRITE_SOLUTION,
    why=(
        "A filter is stateless and never updates earlier output, so each batch only appends new rows. With "
        "`availableNow` the query stops by itself, and its checkpoint lets the next run resume where this one "
        "stopped."
    ),
    check=check_written,
    hidden=(HiddenTest(_bronze, ("faulty_readings",), later=(planted.more_bronze,), says=planted.WHAT_IS_THERE),),
    wrong=(
        WrongAnswer(WRITE_SOLUTION.replace("    .trigger(availableNow=True)\n", ""), "still running"),
        WrongAnswer(WRITE_SOLUTION.replace('    .where("heartrate < 0")\n', ""), "has every reading"),
        WrongAnswer(WRITE_SOLUTION.replace("heartrate < 0", "heartrate >= 0"), "the good readings"),
        WrongAnswer(
            WRITE_SOLUTION.replace("checkpoints}/faulty_readings", "checkpoints}/device_counts"),
            "belongs to another query",
        ),
        WrongAnswer(WRITE_SOLUTION.replace('"append"', '"complete"'), "Leave the output mode out"),
        WrongAnswer(
            WRITE_SOLUTION.partition("    .writeStream")[0].rstrip() + ")\n", "a stream that nobody writes yet"
        ),
        WrongAnswer(WRITE_SOLUTION.replace('    .toTable("faulty_readings"))', ")"), "was not started"),
        WrongAnswer(WRITE_SOLUTION.rstrip() + ".awaitTermination()\n", "in a line of its own"),
    ),
    makes=Makes(variables=("faulty",), tables=("faulty_readings",), folders=("checkpoints/faulty_readings",)),
)

EXERCISES = (ASK, WRITE)
