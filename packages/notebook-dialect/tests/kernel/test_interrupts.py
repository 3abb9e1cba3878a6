"""A cell that is interrupted (interrupts.py)."""

from __future__ import annotations

from uuid import uuid4

import pytest

# What says, in the middle of a job, that it is running.
SIGN = """
from pathlib import Path
from pyspark.sql.functions import udf
import time
here = str(Path.cwd())
@udf("int")
def slow(value):
    Path(here, {sign!r}).touch()
    time.sleep(200)  # longer than the deadline of the next cell
"""
STREAM = """
ticks = spark.readStream.format("rate").load().writeStream.queryName("ticks").format("memory").start()
DA.block_until_stream_is_ready(ticks)
"""


@pytest.fixture(scope="module")
def _lesson(open_notebook):
    notebook = open_notebook()
    notebook.ok("%run ../Includes/Classroom-Setup")
    notebook.ok('DA = start_lesson("01", dataset="device-readings/readings", into_table="bronze")')
    return notebook


@pytest.fixture
def lesson(_lesson):
    """Have a notebook with a lesson; no stream of a test outlives it."""
    yield _lesson
    _lesson.ok("stopAllStreams()")


def interrupted(notebook, cell: str, prepare: str = SIGN) -> str:
    """Interrupt a cell while it is at work, and return all that it shows; then Spark must be free at once."""
    sign = f"sign-{uuid4()}"
    notebook.ok(prepare.format(sign=sign))
    result = notebook.run_until(sign, cell.format(sign=sign))
    assert result.status == "error" and result.ename == "KeyboardInterrupt"
    assert [output["ename"] for output in result.outputs if "ename" in output] == ["KeyboardInterrupt"]
    assert notebook.value("spark.range(10).repartition(4).selectExpr('sum(id)').first()[0]") == 45
    return result.text + result.error


JOBS = {
    "collect": "spark.range(2).select(slow('id')).collect()",
    "display": "display(spark.range(2).select(slow('id')))",
    "to pandas": "spark.range(2).select(slow('id')).toPandas()",
    "write": "spark.range(2).select(slow('id').alias('n')).write.format('noop').mode('overwrite').save()",
    "sql": "spark.udf.register('slow', slow)\nget_ipython().run_cell_magic('sql', '', 'SELECT slow(id) FROM range(2)')",
}


@pytest.mark.slow
@pytest.mark.parametrize("cell", JOBS.values(), ids=JOBS)
def test_its_jobs_are_cancelled_and_one_line_says_so(lesson, cell: str) -> None:
    assert interrupted(lesson, cell) == "Interrupted; Spark's job was cancelled."


@pytest.mark.slow
def test_streams_go_on(lesson) -> None:
    lesson.ok(STREAM)
    assert (
        interrupted(lesson, JOBS["collect"])
        == "Interrupted; Spark's job was cancelled. The stream continues: ticks. To stop it: stopAllStreams()."
    )
    before = lesson.value("ticks.lastProgress['batchId']")
    lesson.ok(f"import time\nwhile ticks.lastProgress['batchId'] <= {before}: time.sleep(0.1)", timeout=120)
    assert lesson.value("ticks.isActive")


WAITS = {
    "for the end of a stream": "Path({sign!r}).touch()\nticks.awaitTermination()",
    "in Python": "Path({sign!r}).touch()\nimport time\ntime.sleep(60)",
    "while data lands": "Path({sign!r}).touch()\nDA.data_factory.load(continuous=True, interval=30)",
}


@pytest.mark.slow
@pytest.mark.parametrize("cell", WAITS.values(), ids=WAITS)
def test_a_wait_ends_and_the_stream_goes_on(lesson, cell: str) -> None:
    lesson.ok(STREAM)
    shown = interrupted(lesson, cell, prepare="from pathlib import Path")
    assert shown.endswith("Interrupted. The stream continues: ticks. To stop it: stopAllStreams().")
    assert "Traceback" not in shown and "py4j" not in shown


WAITING_CALLS = {
    "awaitTermination": "Path({sign!r}).touch()\nticks.awaitTermination()",
    "processAllAvailable": "Path({sign!r}).touch()\nticks.processAllAvailable(); time.sleep(60)",
    "display": "Path({sign!r}).touch()\ndisplay(spark.readStream.format('rate').load(), streamName='seen')\ntime.sleep(60)",
}
AFTERWARDS = """
place = DA.paths.checkpoints + '/' + name
spark.sql(f'DROP TABLE IF EXISTS {name}')
after = (spark.readStream.format('rate').load().writeStream.option('checkpointLocation', place)
    .trigger(availableNow=True).toTable(name))
assert after.awaitTermination(60)
spark.range(2).write.mode('overwrite').saveAsTable(name + '_saved')
assert spark.sql(f'SELECT count(*) FROM {name}_saved').first()[0] == 2
display(spark.range(1))
"""


@pytest.mark.slow
@pytest.mark.parametrize("call", WAITING_CALLS)
def test_after_an_interrupted_wait_tables_are_written_as_before(lesson, call: str) -> None:
    lesson.ok(STREAM)
    interrupted(lesson, WAITING_CALLS[call], prepare="from pathlib import Path\nimport time")
    lesson.ok(f"name = {('after_' + call).lower()!r}" + AFTERWARDS, timeout=90)


@pytest.mark.slow
def test_a_notebook_that_another_runs_ends_with_it(lesson) -> None:
    lesson.write("Inner.py", "# Databricks notebook source\n" + SIGN.format(sign="inner") + JOBS["collect"])
    result = lesson.run_until("inner", "dbutils.notebook.run('Inner', 100)")
    assert result.error == "Interrupted; Spark's job was cancelled."
    assert lesson.value("spark.range(3).count()") == 3
