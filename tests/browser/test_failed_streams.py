"""A stream that nobody looks at fails: the cell that started it says so, once, wherever the person is."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.slow

SET_UP = """%run ../Includes/Classroom-Setup
from streaming_classroom import start_lesson
DA = start_lesson("failing", dataset="device-readings/readings", into_table="bronze")"""
START = """batches = []
def keep(frame, number):
    batches.append(number)
    if number == 2:
        raise ValueError("the keeper is full")
numbers = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", 5).load()
keeper = numbers.writeStream.foreachBatch(keep).queryName("keeper").trigger(processingTime="1 second").start()"""
ELSEWHERE = "1 + 1"
CELLS = [SET_UP, START, ELSEWHERE]
SET_UP, START, ELSEWHERE = range(len(CELLS))
FAILED = re.compile("The stream keeper failed in batch 2: ValueError: the keeper is full")


@pytest.fixture(scope="module")
def notebook(open_notebook):
    notebook = open_notebook("failing", *CELLS)
    notebook.run(SET_UP)
    return notebook


def test_the_failure_stands_once_below_the_cell_that_has_long_ended(notebook, screenshot) -> None:
    notebook.run(START)
    notebook.run(ELSEWHERE)
    outputs = notebook.cells.nth(START).locator(".jp-OutputArea-output")
    expect(outputs).to_have_count(1, timeout=120_000)
    expect(outputs).to_have_text(FAILED)
    expect(outputs).to_contain_text("(keep, line 5 of its cell: raise ValueError(")
    expect(notebook.cells.nth(ELSEWHERE).locator(".jp-OutputArea-output")).to_have_text("2")
    screenshot(notebook, "failed")
