"""An update that a person interrupts in a notebook (pipeline.py): the kernel cancels what its cell asks Spark for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from kernel_harness import Notebook

pytestmark = pytest.mark.slow

SLOW = """
import time
from pathlib import Path
from declarative_pipelines import event_log, run_pipeline
from pyspark import pipelines as dp
from pyspark.sql.functions import udf

@dp.materialized_view
def quick():
    return spark.range(3)

@dp.materialized_view
def slow():
    return spark.read.table("quick").withColumn("slept", udf(lambda value: time.sleep(60), "string")("id"))

def begun(progress):
    if getattr(progress, "dataset", None) == "slow" and progress.state.value == "RUNNING":
        Path("begun").touch()
"""


def test_an_interrupted_update_is_in_the_event_log(open_notebook: Callable[..., Notebook], tmp_path: Path) -> None:
    notebook = open_notebook(tmp_path / "home")
    notebook.ok("%load_ext streaming_classroom")
    notebook.ok(SLOW)
    storage = str(tmp_path / "storage")
    interrupted = notebook.run_until("begun", f"run_pipeline(storage={storage!r}, observer=begun, show=False)")
    assert "Interrupted" in interrupted.text + interrupted.error
    kept = (
        f"[row.message.split()[-1] for row in event_log({storage!r})"
        ".where(\"event_type = 'update_progress'\").collect()]"
    )
    assert notebook.value(kept) == ["STOPPED."]
    notebook.close()
