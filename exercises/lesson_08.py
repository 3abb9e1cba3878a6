"""Exercises of lesson 08: a stream that restarts for new columns, and values that were rescued."""

from __future__ import annotations

import shutil
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from lesson_exercises import planted, restarts

from streaming_classroom.exercises import Attempt, Exercise, HiddenTest, Makes, Mistake, NotTried, WrongAnswer

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.hidden_tests import Sandbox

# ----------------------------------------------------------------------------------------------- 08.1 through the drift

DRIFT_STARTER = """
DA.exercise("08.1")  # removes what an earlier attempt created

from pyspark.errors import StreamingQueryException

yesterdays_schema("archive")  # version 0: four columns

# your code: load, start, wait, and load again
"""

DRIFT_SOLUTION = """
DA.exercise("08.1")  # removes what an earlier attempt created

from pyspark.errors import StreamingQueryException

yesterdays_schema("archive")  # version 0: four columns

restarts = 5
while True:
    query = (files("archive", **{"cloudFiles.maxFilesPerTrigger": 1}).writeStream
        .option("checkpointLocation", f"{DA.paths.checkpoints}/archive")
        .option("mergeSchema", True)
        .trigger(availableNow=True)
        .toTable("archive"))
    try:
        query.awaitTermination()
        break
    except StreamingQueryException as error:
        if "UNKNOWN_FIELD_EXCEPTION" not in str(error) or restarts == 0:
            raise
        restarts -= 1
"""


def check_drift(attempt: Attempt) -> None:
    """Name what stopped the cell first, then what the table lacks."""
    error = str(attempt.cell_error or "")
    if "DELTA_METADATA_MISMATCH" in error or "schema mismatch" in error:
        raise Mistake("The source has the new column, and the table may not change: set `mergeSchema` on the writer.")
    if "UNKNOWN_FIELD_EXCEPTION" in error:
        raise Mistake(
            "A new column has stopped the stream, and it was not started again. The next start must `load` again: a "
            "DataFrame keeps the schema of the moment when it was loaded."
        )
    if not attempt.spark.catalog.tableExists("archive"):
        if attempt.cell_error is None:
            raise NotTried
        raise Mistake(f"Your cell raised an error: {attempt.words_of_error}")
    made = attempt.table("archive")
    landed = attempt.spark.read.json(attempt.paths.landing, primitivesAsString=True)
    missing = sorted({name.lower() for name in landed.columns} - {name.lower() for name in made.columns})
    if missing:
        raise Mistake(f"The table has no column `{missing[0]}`. Does the stream restart until nothing is left to read?")
    if made.count() != landed.count():
        raise Mistake(f"The table has {made.count():,} rows, and {landed.count():,} readings have landed.")
    attempt.compare(made.select(*landed.columns), landed, "archive")
    if not attempt.paths.exists(f"{attempt.paths.checkpoints}/archive/offsets"):
        raise Mistake("The table is right, but its stream has another checkpoint than the one of the task.")
    _must_have_read_file_by_file(attempt, landed)


def _must_have_read_file_by_file(attempt: Attempt, landed: DataFrame) -> None:
    history = attempt.spark.sql("DESCRIBE HISTORY archive")
    wrote = "operation = 'STREAMING UPDATE' AND operationMetrics['numOutputRows'] > 0"
    batches, files = history.where(wrote).count(), len(attempt.rows_of_files(landed))
    if batches < files:
        raise Mistake(
            f"The table is right, but a batch brought more than one of the {files} files: set "
            "`cloudFiles.maxFilesPerTrigger` to 1, and let the stream end by `availableNow=True`. (`once=True` takes "
            "all files at once.)"
        )


def _archive(sandbox: Sandbox) -> DataFrame:
    """Return the table with its columns in alphabetical order, without the rescued data, which have the paths."""
    table = sandbox.rows("archive")
    return table.select(*sorted(set(table.columns) - {"_rescued_data"}))


def _three_new_columns(sandbox: Sandbox) -> None:
    """Land four files, three of which have a new column each, and keep the schema of the first one."""
    sandbox.file("ward-a.json", [_reading(1), _reading(2)])
    source = sandbox.spark.readStream.format("cloudFiles").option("cloudFiles.format", "json")
    source.option("cloudFiles.schemaLocation", f"{sandbox.paths.checkpoints}/yesterday").load(sandbox.paths.landing)

    def yesterdays_schema(name: str, of: str = "yesterday") -> None:
        checkpoints = Path(sandbox.paths.local(sandbox.paths.checkpoints))
        shutil.copytree(checkpoints / of / "_schemas", checkpoints / name / "_schemas", dirs_exist_ok=True)

    sandbox.keep(yesterdays_schema=yesterdays_schema)
    sandbox.file("ward-b.json", [_reading(3, firmware="2.1")])
    sandbox.file("ward-c.json", [_reading(4), _reading(5, battery=80)])
    sandbox.file("ward-d.json", [_reading(6, unit="bpm", firmware="2.2")])


def _one_more_column(sandbox: Sandbox) -> None:
    """Land a file after the restart, with a fourth new column in one of its two readings."""
    sandbox.file("ward-e.json", [_reading(7, floor=3), _reading(8)])


def _reading(number: int, **extra: object) -> dict[str, object]:
    return {"device_id": number, "mrn": 900 + number, "heartrate": 60.5, "time": 1_709_596_800.5 + number} | extra


DRIFT = Exercise(
    id="08.1",
    title="Through the drift",
    starter=DRIFT_STARTER,
    hints=(
        '`files("archive", ...)` loads with the newest schema version. Write it to the table, with `mergeSchema`, '
        "and wait with `awaitTermination()`.",
        "`awaitTermination()` raises a `StreamingQueryException` if the stream has failed. Catch it, and look for "
        "`UNKNOWN_FIELD_EXCEPTION` in its text; raise anything else again.",
        "The `load` must stand inside the loop. Leave the loop when `awaitTermination()` returns, and count the "
        "restarts.",
    ),
    solution=DRIFT_SOLUTION,
    why=(
        "With one file per batch, each file with a new column ends the stream once: the schema version has the column "
        "then, and the next start runs the same batch. The loop loads again each time, restarts for this error alone, "
        "and gives up after five: a supplier who sends a new column every minute should be noticed."
    ),
    check=check_drift,
    hidden=(
        HiddenTest(
            _three_new_columns,
            (_archive,),
            later=(_one_more_column,),
            above=planted.definitions_of("08", "files"),
            after=partial(restarts.count, what="cell"),
            says="Your cell was run on other files, three of them with a new column, and again after one more.",
        ),
    ),
    wrong=(
        WrongAnswer(DRIFT_SOLUTION.replace("restarts = 5", "restarts = 0"), "was not started again"),
        WrongAnswer(DRIFT_SOLUTION.replace('        .option("mergeSchema", True)\n', ""), "set `mergeSchema`"),
        WrongAnswer(
            DRIFT_SOLUTION.replace("while True:\n", 'loaded = files("archive")\nwhile True:\n').replace(
                'files("archive", **{"cloudFiles.maxFilesPerTrigger": 1}).writeStream', "loaded.writeStream"
            ),
            "was not started again",
        ),
        WrongAnswer(
            DRIFT_SOLUTION.replace('"cloudFiles.maxFilesPerTrigger": 1', '"cloudFiles.schemaEvolutionMode": "rescue"'),
            "has no column",
        ),
        WrongAnswer(DRIFT_SOLUTION.replace('{"cloudFiles.maxFilesPerTrigger": 1}', "{}"), "more than one of the"),
        WrongAnswer(DRIFT_SOLUTION.replace("checkpoints}/archive", "checkpoints}/mine"), "another checkpoint"),
        WrongAnswer(DRIFT_SOLUTION.replace("restarts = 5", "restarts = 50"), "restarted more than five times"),
        WrongAnswer(DRIFT_SOLUTION.replace("restarts = 5", "restarts = 4"), "gave up after 4 restarts"),
        WrongAnswer(
            DRIFT_SOLUTION.replace('"UNKNOWN_FIELD_EXCEPTION" not in str(error) or ', ""), "because the disk is full"
        ),
    ),
    makes=Makes(tables=("archive",), folders=("checkpoints/archive",), by_starter=True),
)

# --------------------------------------------------------------------------------------- 08.2 what the rescued data say

RATES_STARTER = """
DA.exercise("08.2")  # removes what an earlier attempt created

land_file("supplier.json", [
    {"device_id": 5, "heartrate": "61,5", "time": 1751414405.0},
    {"device_id": 6, "HeartRate": 64.25, "time": 1751414406.0},
])
ingest(DA.paths.landing, "json", "vitals", vitals_checkpoint, **hinted).awaitTermination()

# spark.sql("CREATE OR REPLACE TEMP VIEW rates_vw AS SELECT ...")
"""

RATES_SOLUTION = (
    RATES_STARTER.rpartition("# spark.sql")[0]
    + '''spark.sql("""
    CREATE OR REPLACE TEMP VIEW rates_vw AS
    SELECT coalesce(device_id, try_cast(get_json_object(_rescued_data, '$.Device_ID') AS INT)) AS device_id,
           coalesce(heartrate, try_cast(replace(coalesce(
               get_json_object(_rescued_data, '$.heartrate'), get_json_object(_rescued_data, '$.HeartRate')
           ), ',', '.') AS DOUBLE)) AS heartrate,
           time
    FROM vitals""")
'''
)


def check_rates(attempt: Attempt) -> None:
    """Tell a value that was not found from one that was not understood."""
    made = attempt.view("rates_vw")
    right = _rates(attempt.table("vitals"))
    if made.count() < right.count():
        raise Mistake(
            f"`rates_vw` has {made.count():,} of {right.count():,} readings. A value that is not a number stays NULL, "
            "and its reading stays in the view."
        )
    if attempt.is_same(made, _rates(attempt.table("vitals"), comma=False)):
        raise Mistake("The rate of device 5 is missing: it was sent as `61,5`. Replace the comma before you cast it.")
    if attempt.is_same(made, _rates(attempt.table("vitals"), cases=False)):
        raise Mistake("The rate of device 6 is missing: the supplier sent it as `HeartRate`, which was rescued too.")
    attempt.compare(made, right, "rates_vw")


def _rates(vitals: DataFrame, *, comma: bool = True, cases: bool = True) -> DataFrame:
    other = "get_json_object(_rescued_data, '$.HeartRate')" if cases else "NULL"
    rescued = f"coalesce(get_json_object(_rescued_data, '$.heartrate'), {other})"
    rescued = f"replace({rescued}, ',', '.')" if comma else rescued
    return vitals.selectExpr(
        "coalesce(device_id, try_cast(get_json_object(_rescued_data, '$.Device_ID') AS INT)) AS device_id",
        f"coalesce(heartrate, try_cast({rescued} AS DOUBLE)) AS heartrate",
        "time",
    )


def _rescued(sandbox: Sandbox) -> None:
    """Give rates with a comma and in another case, text, a negative one, rescued fields that are none, and NULL."""
    rescued = (
        (1, 60.5, None), (2, None, '{"heartrate":"71,25"}'), (3, None, '{"HeartRate":"-1,5"}'),
        (4, 62.0, '{"firmware":"1"}'), (None, 63.0, '{"Device_ID":"7"}'),
        (None, None, '{"Device_ID":"8","heartrate":"80"}'), (9, None, '{"heartrate":"n/a"}'),
        (10, 64.0, '{"HeartRate":"99,0"}'), (11, None, None),
    )  # fmt: skip
    rows = [(device, rate, 1.5 + number, text, None) for number, (device, rate, text) in enumerate(rescued)]
    schema = "device_id INT, heartrate DOUBLE, time DOUBLE, _rescued_data STRING, firmware STRING"
    sandbox.append("vitals", rows, schema)
    sandbox.keep(land_file=_nothing, ingest=_Waited, vitals_checkpoint="", hinted={})


def _nothing(*_arguments: object, **_options: object) -> None:
    """Land no file: the planted table has what the lesson's files bring."""


class _Waited:
    """A run that has ended, in place of the lesson's."""

    def __init__(self, *_arguments: object, **_options: object) -> None:
        self.exception = None

    def awaitTermination(self) -> None:
        """Return at once."""


RATES = Exercise(
    id="08.2",
    title="What the rescued data says",
    starter=RATES_STARTER,
    hints=(
        "`get_json_object(_rescued_data, '$.heartrate')` is the rescued text; the name must have the case in which it "
        "was sent. `coalesce` takes the first value that is not NULL.",
        "`try_cast(... AS DOUBLE)` gives NULL where `CAST` would fail. `replace(..., ',', '.')` mends the comma.",
        "The column's own value comes first: a rescued one is for rows in which the column is NULL. Do the same for "
        "`device_id` and `Device_ID`.",
    ),
    solution=RATES_SOLUTION,
    why=(
        "Nothing has to be read again: the rescued data has the value with the name under which it came. A view keeps "
        "the table as it was ingested, and is right for tomorrow's rows as well. `try_cast` leaves what is no number "
        "NULL, where `CAST` would fail the whole query."
    ),
    check=check_rates,
    hidden=(
        HiddenTest(
            _rescued,
            ("rates_vw",),
            says="Your cell was run on another table: negative rates, text, rows with a value and rescued data.",
        ),
    ),
    wrong=(
        WrongAnswer(
            RATES_SOLUTION.replace("cast(replace(coalesce(", "cast((coalesce(").replace("), ',', '.')", "))"),
            "Replace the comma",
        ),
        WrongAnswer(RATES_SOLUTION.replace(", get_json_object(_rescued_data, '$.HeartRate')", ""), "device 6"),
        WrongAnswer(
            RATES_SOLUTION.replace("FROM vitals", "FROM vitals WHERE heartrate IS NOT NULL"), "stays in the view"
        ),
        WrongAnswer(RATES_SOLUTION.replace("coalesce(device_id, ", "coalesce(NULL, "), "`rates_vw`"),
    ),
    makes=Makes(views=("rates_vw",)),
)

EXERCISES = (DRIFT, RATES)
