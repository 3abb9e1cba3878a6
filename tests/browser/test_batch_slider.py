"""The slider over a checkpoint's batches as a person moves it: JupyterLab, Chromium, Spark, nothing in their place."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from browser_harness import faint_texts

SET_UP = """
import json
import os
import tempfile
from pathlib import Path
from pyspark.sql import SparkSession, functions as F
from stream_view import step_through

builder = SparkSession.builder.master("local[2]").config("spark.sql.shuffle.partitions", 2)
spark = builder.config("spark.ui.enabled", "false").getOrCreate()
folder = Path(tempfile.mkdtemp())
(folder / "in").mkdir()
for number in range(3):
    path = folder / f"in/{number}.json"
    path.write_text(json.dumps({"oven": "A1", "loaves": 10**number}))
    os.utime(path, (number + 1, number + 1))  # the order in which they are read
rows = spark.readStream.schema("oven STRING, loaves LONG").option("maxFilesPerTrigger", 1).json(str(folder / "in"))
summed = rows.groupBy("oven").agg(F.sum("loaves").alias("total"))
writer = summed.writeStream.format("noop").outputMode("update").option("checkpointLocation", str(folder / "checkpoint"))
writer.trigger(availableNow=True).start().awaitTermination()
"""
STEP = 'step_through(str(folder / "checkpoint"), summed, "update")'
SLIDER = 1


@pytest.fixture(scope="module")
def notebook(open_notebook):
    made = open_notebook("slider", SET_UP, STEP)
    made.run(0)
    made.run(SLIDER)
    return made


def total(notebook, loaves: str):
    """Return the cells that have just this number."""
    return notebook.output(SLIDER).get_by_role("cell", name=loaves, exact=True)


def test_the_newest_batch_is_shown_first(notebook, screenshot) -> None:
    expect(notebook.output(SLIDER).get_by_role("heading")).to_have_text("Batch 2, committed")
    expect(total(notebook, "111")).to_have_count(1)
    screenshot(notebook, "newest")


def test_a_key_on_the_slider_steps_to_the_batch_before(notebook, screenshot) -> None:
    notebook.output(SLIDER).get_by_role("slider").focus()
    notebook.page.keyboard.press("ArrowLeft")
    expect(notebook.output(SLIDER).get_by_role("heading")).to_have_text("Batch 1, committed", timeout=60_000)
    expect(total(notebook, "11")).to_have_count(1)
    expect(total(notebook, "111")).to_have_count(0)
    screenshot(notebook, "stepped")


@pytest.mark.parametrize("theme", ["Light", "Dark"])
def test_its_texts_can_be_read(notebook, screenshot, theme: str) -> None:
    notebook.choose_theme(theme)
    assert faint_texts(notebook.output(SLIDER)) == []
    screenshot(notebook, theme.lower())
