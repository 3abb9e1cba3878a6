"""What a learner sees of a wait in a real kernel: one line that changes, and is gone with the wait."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from kernel_harness import Notebook

pytestmark = pytest.mark.slow

SET_UP = """
from streaming_classroom import set_up_notebook, start_lesson
set_up_notebook(globals())
DA = start_lesson("waits", dataset="device-readings/readings")
DA.data_factory.land()

from streaming_base import waiting
said, show_line = [], waiting.show_line
def show(text, line=None):
    said.append(text)
    return show_line(text, line)
waiting.show_line = show

import time
stream = spark.readStream.schema("device_id INT").json(DA.paths.landing)
slow = stream.writeStream.queryName("slow").foreachBatch(lambda frame, number: time.sleep(3)).start()
"""
# What JupyterLab says with each cell, and papermill does not.
SOMEBODY_LOOKS = "get_ipython().kernel._allow_stdin = True"


@pytest.fixture(scope="module")
def notebook(open_notebook: Callable[..., Notebook]) -> Notebook:
    notebook = open_notebook()
    notebook.ok(SET_UP)
    return notebook


def test_a_wait_names_the_stream_and_its_batch_and_leaves_nothing(notebook: Notebook) -> None:
    notebook.ok("DA.data_factory.load()")  # before its first batch a stream has no number to name
    shown = notebook.ok(f"{SOMEBODY_LOOKS}\nDA.data_factory.load()")
    said = notebook.value("said")
    assert said and all(text.startswith("Waiting for slow, batch ") for text in said), said
    assert [output.get("data") for output in shown.outputs if "data" in output] == [{"text/plain": "", "text/html": ""}]
