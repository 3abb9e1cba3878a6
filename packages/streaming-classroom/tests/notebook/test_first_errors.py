"""The errors of a first hour, in a real kernel: at most four lines, of which the last says what to do."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from kernel_harness import Notebook

LINES = 4
INCLUDE = "%run ../Includes/Classroom-Setup"
SET_UP = """
DA = start_lesson("first-errors", dataset="device-readings/readings")
from pyspark.sql import functions as F
schema = "device_id INT, mrn LONG, heartrate DOUBLE, time DOUBLE"
DA.data_factory.land()
readings = spark.read.schema(schema).json(DA.paths.landing)
readings.createOrReplaceTempView("readings_vw")
stream = spark.readStream.schema(schema).json(DA.paths.landing)
counts = stream.groupBy("device_id").count()

def memory(frame, name):
    return frame.writeStream.format("memory").queryName(name)
"""
# A cell, and words of the last line that is shown of it.
ERRORS = [
    ('spark.read.json("/no/such/folder")', 'dbutils.fs.ls("dbfs:/no/such")'),
    ('spark.readStream.schema(schema).json("/no/such/folder")', 'dbutils.fs.ls("/no/such")'),
    ("spark.read.json(DA.paths.nowhere)", "Correct the name: there are checkpoints, datasets"),
    ('readings.select("hartrate").count()', "printSchema()"),
    ("%sql\nSELECT device FROM readings_vw", "printSchema()"),
    ('stream.writeStream.outputMode("apend")', "`append`, `update` or `complete`"),
    ('memory(stream, "a").outputMode("complete").start()', "Leave the output mode out"),
    ('memory(counts, "b").outputMode("append").start()', '`.outputMode("complete")`'),
    (
        'memory(stream.groupBy(F.session_window(F.col("time").cast("timestamp"), "1 minute")).count(), "sessions")'
        '.outputMode("update").start()',
        "sessions have no update mode",
    ),
    ('display(stream.groupBy("device_id").agg(F.count_distinct("mrn")))', "`approx_count_distinct`"),
    ('stream.writeStream.format("delta").start("/errors")', '.option("checkpointLocation"'),
    ('stream.writeStream.toTable("no_checkpoint")', '.option("checkpointLocation"'),
    ('memory(stream, "twice").start()\nmemory(stream, "twice").start()', "Stop the stream `twice` first"),
    ("%sql\nSELEC device_id FROM readings_vw", "Did you mean `SELECT`?"),
    ("%sql\nSELECT count(* FROM readings_vw", "Correct the statement there"),
    ("%sql\nSELECT * FROM reading_vw", "Did you mean `readings_vw`?"),
    ("%sql\nSELECT * FROM nowhere", "`SHOW TABLES`"),
    ('spark.table("nowhere")', "`SHOW TABLES`"),
    ('spark.readStream.table("nowhere")', "`SHOW TABLES`"),
    ("spark.sql(\"SELECT CAST('walk' AS INT)\").show()", "`try_cast`"),
    ('readings.select(F.to_timestamp(F.lit("noon"))).collect()', "`try_cast`"),
    ('spark.sql("SELECT 1/0").show()', "`try_divide(a, b)`"),
    ('stream.writeStream.trigger(processing_time="1 second")', "Did you mean `processingTime`?"),
    ("stream.writeStream.trigger(every=1)", "It takes processingTime"),
    ('stream.writeStream.trigger(availableNow="yes")', "Write `availableNow=True`"),
    ('stream.writeStream.trigger(processingTime="1 secnd")', "`1 second`"),
    ('query = memory(stream, "c")\nquery.processAllAvailable()', "add .start(), or .toTable(name)"),
    ('query = memory(stream, "d").start().stop()\nquery.status', "call them in a line of their own"),
    ('stream.write.format("delta").save("/errors")', "`.writeStream`"),
    ('readings.writeStream.format("noop").start()', "`spark.readStream`"),
    ("stream.show()", "`display(df)`"),
    ("stream.count()", "`display(df)`"),
    ("redings.count()", "Did you mean `readings`?"),
    ("dispaly(readings)", "Did you mean `display`?"),
    ("DA.data_factory.laod()", "Did you mean `.load`?"),
    ("DA.data_factry.load()", "Did you mean `.data_factory`?"),
    ("readings.writestream", "Did you mean `.writeStream`?"),
    ("spark.readstream", "Did you mean `.readStream`?"),
    ("print(quarterly_figures)", "Run the cell that defines `quarterly_figures`, or correct the name"),
    ('spark.readStream.schema("device_id INTT").json("/x")', "Did you mean `INT`?"),
    ('spark.readStream.schema("device_id:INT, x").json("/x")', "name TYPE, name TYPE"),
    (
        'readings.write.saveAsTable("versions")\nspark.readStream.option("versionAsOf", 0).table("versions")',
        '`.option("startingVersion", n)`',
    ),
    ("spark.readStream.json(DA.paths.landing)", '`.schema("name TYPE, ...")`'),
    ("# which rows?\n%sql\nSELECT 1 AS one", "Put `%sql` on the first line of the cell"),
    ("rows = 1\n%sql\nSELECT 1 AS one", "Put `%sql` on the first line of a cell of its own"),
    ("readings.filter(readings.mrn > 50 & readings.device_id == 1)", "`(a > 1) & (b == 2)`"),
    ('spark.readStream.format("kafkaa").load()', "Did you mean `kafka`?"),
    ("from pyspark.sql import function", "Did you mean `functions`?"),
    ("import panda", "Did you mean `pandas`?"),
    ('readings.agg(sum("heartrate"))', "`F.sum(...)`"),
    ('stream.orderBy("time").writeStream.format("noop").start()', "Sort what you read from the table afterwards"),
    ("readings.heartrate.show()", "`df.select(column).show()`"),
    ('readings.withColumn("copy", "heartrate")', '`F.col("name")`'),
    ("stream.writeStream.foreachBatch(lambda rows, n: 1 / 0).start().awaitTermination()", "Correct the function"),
    ('stream.select("device_id").union(stream)', "`unionByName("),
    ('spark.createDataFrame([(1, "a")], "id INT")', "as many values as the schema has columns"),
]


@pytest.fixture(scope="module")
def notebook(open_notebook: Callable[..., Notebook]) -> Notebook:
    notebook = open_notebook(JPY_SESSION_NAME="notebooks/mine.ipynb")
    notebook.ok(INCLUDE)
    notebook.ok(SET_UP)
    return notebook


def shown(notebook: Notebook, cell: str) -> list[str]:
    """Return the lines of the error with which a cell ends."""
    result = notebook.run(cell)
    assert result.status == "error", result.text
    return result.error.splitlines()


@pytest.mark.slow
@pytest.mark.parametrize(("cell", "advice"), ERRORS, ids=[cell for cell, _ in ERRORS])
def test_an_error_of_the_first_hour_is_short_and_ends_with_what_to_do(
    notebook: Notebook, cell: str, advice: str
) -> None:
    lines = shown(notebook, cell)
    assert len(lines) <= LINES, lines
    assert advice in lines[-1], lines


@pytest.mark.slow
@pytest.mark.parametrize("name", ["DA", "spark"])
def test_a_name_that_set_up_defines_asks_for_the_set_up_cell(notebook: Notebook, name: str) -> None:
    notebook.ok(f"kept = {name}\ndel {name}")
    *_, advice = shown(notebook, f"print({name})")
    notebook.ok(f"{name} = kept")
    assert advice == f"`{name}` comes from the set-up cell: run the set-up cell first."


def test_a_name_that_a_cell_of_the_notebook_defines_is_found_there(notebook: Notebook) -> None:
    cells = [{"cell_type": "code", "source": ["import json\n", "silver = spark.table('silver')"]}]
    notebook.home.parent.joinpath("mine.ipynb").write_text(json.dumps({"cells": cells}))
    notebook.ok(f"import os; os.environ['JPY_SESSION_NAME'] = {str(notebook.home.parent / 'mine.ipynb')!r}")
    *_, advice = shown(notebook, "silver.count()")
    assert advice == "Run the cell of this notebook that defines it: `silver = spark.table('silver')`"
