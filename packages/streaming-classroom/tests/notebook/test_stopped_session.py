"""What a learner reads after ``spark.stop()``, in a real kernel: one sentence, until set-up is run again."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from kernel_harness import Notebook
from streaming_base.stopped_session import SessionStopped

pytestmark = pytest.mark.slow

SET_UP = "%run ../Includes/Classroom-Setup"
CALLS = [
    "DA.data_factory.load()",
    'spark.read.table("x")',
    'spark.read.schema("id INT").json(DA.paths.landing).count()',
    "%sql\nSELECT 1 AS one",
    "spark.range(3).count()",
    "display(spark.range(3))",
    "rows.count()",
    "display(rows)",
    "display(stream)",
    "stream.writeStream.format('noop').start()",
    "DA.block_until_stream_is_ready('none')",
]


@pytest.fixture(scope="module")
def notebook(open_notebook: Callable[..., Notebook]) -> Notebook:
    notebook = open_notebook()
    notebook.ok(SET_UP)
    notebook.ok('DA = start_lesson("stopped", dataset="device-readings/readings")')
    notebook.ok('rows = spark.range(3)\nstream = spark.readStream.format("rate").load()\nspark.stop()')
    return notebook


@pytest.mark.parametrize("call", CALLS)
def test_every_call_says_in_one_sentence_that_the_session_is_stopped(notebook: Notebook, call: str) -> None:
    result = notebook.run(call)
    assert result.error == str(SessionStopped()) == "The Spark session is stopped: run the set-up cell."


def test_a_check_says_so_as_well(notebook: Notebook) -> None:
    assert notebook.run('DA.check("00.1")').error == str(SessionStopped())


def test_an_error_of_ones_own_is_still_ones_own(notebook: Notebook) -> None:
    assert "ZeroDivisionError" in notebook.run("1 / 0").error


def test_set_up_heals_it(notebook: Notebook) -> None:
    notebook.ok(SET_UP)
    assert notebook.value("spark.range(3).count()") == 3
