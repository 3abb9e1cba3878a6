"""Check exercise 08.2, "Through the drift"."""

from __future__ import annotations

import shutil
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from lesson_exercises import planted, restarts

from streaming_classroom.exercises import Attempt, HiddenTest, Makes, Mistake, NotTried

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from streaming_classroom.exercises.sandbox import Sandbox


def check(attempt: Attempt) -> None:
    """Name the error that stopped the cell, then what the table lacks."""
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
    """Return the table with sorted columns, without the rescued data, which have the paths."""
    table = sandbox.rows("archive")
    return table.select(*sorted(set(table.columns) - {"_rescued_data"}))


def _three_new_columns(sandbox: Sandbox) -> None:
    """Land four files, three of them with a new column, and keep the schema of the first one."""
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


MAKES = Makes(tables=("archive",), folders=("checkpoints/archive",), by_starter=True)

HIDDEN = (
    HiddenTest(
        _three_new_columns,
        (_archive,),
        later=(_one_more_column,),
        above=planted.definitions_of("08", "files"),
        after=partial(restarts.count, what="cell"),
        says="Your cell was run on other files, three of them with a new column, and again after one more.",
    ),
)
