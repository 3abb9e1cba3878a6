"""What a person waits for after Shift+Enter: set-up, and for each kind of source the frame and the first rows."""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from rich.console import Console
from rich.table import Table

from browser_harness import Notebook, running_browser, running_lab

AGAIN = 5  # times that each source is shown; the first time something is loaded, and is told apart
PATIENCE = 60.0  # seconds
READING = 10.0  # seconds from a notebook's kernel being there to its first cell, of a person who reads what it says
SET_UPS = 3  # of each kind, alternating
LOOK_EVERY = 0.02  # seconds, the grain of what is measured
SET_UP = """
from streaming_classroom import set_up_notebook, start_lesson
set_up_notebook(globals())
DA = start_lesson("waits", dataset="device-readings/readings")
"""
PREPARE = """
DA.data_factory.load()
schema = "device_id INT, heartrate DOUBLE, time DOUBLE"
spark.read.schema(schema).json(DA.paths.landing).write.format("delta").saveAsTable("bronze")
"""
SOURCES = {
    "rate": 'spark.readStream.format("rate").option("rowsPerSecond", 20).load()',
    "files": "spark.readStream.schema(schema).json(DA.paths.landing)",
    "Delta": 'spark.readStream.table("bronze")',
    "cloudFiles": 'spark.readStream.format("cloudFiles").option("cloudFiles.format", "json")'
    '.option("cloudFiles.schemaLocation", f"{DA.paths.checkpoints}/schema").load(DA.paths.landing)',
}


def waits() -> dict[str, float]:
    """Return the seconds, for sources the medians in a session that has shown them before, and print a table of all."""
    cells = [SET_UP, PREPARE, *(f"display({source})" for source in SOURCES.values())]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        root = Path(scratch)
        (root / "work").mkdir()
        with running_lab(root) as lab, running_browser() as browser:
            set_ups = _set_ups(lambda name: Notebook(browser, lab, root / name, root, [SET_UP]))
            notebook = Notebook(browser, lab, root / "waits.ipynb", root, cells)
            notebook.run(0)
            notebook.run(1)
            found = {name: [_wait(notebook, cell) for _ in range(AGAIN)] for cell, name in enumerate(SOURCES, start=2)}
    _print(set_ups, found)
    figures = {f"set_up_{name}_s": round(statistics.median(times), 2) for name, times in set_ups.items()}
    for name, times in found.items():
        for what, number in (("frame", 0), ("rows", 1)):
            figures[f"{name.lower()}_{what}_s"] = round(statistics.median(pair[number] for pair in times[1:]), 2)
    return figures


def _set_ups(open_notebook: Callable[[str], Notebook]) -> dict[str, list[float]]:
    """Return the seconds of the set-up cell, where the kernel has begun early, and where it has not.

    A kernel does so in a lesson, which among the learner's copies a notebook is, and beside them is not.
    """
    kinds = {"without_early_start": ("", 0.0), "at_once": ("work/", 0.0), "after_reading": ("work/", READING)}
    found: dict[str, list[float]] = {kind: [] for kind in kinds}
    for number in range(SET_UPS):
        for kind, (folder, pause) in kinds.items():
            notebook = open_notebook(f"{folder}{kind}-{number}.ipynb")
            notebook.page.wait_for_timeout(pause * 1000)
            began = time.monotonic()
            notebook.run(0)
            found[kind].append(time.monotonic() - began)
            notebook.shut_down()
    return found


def _wait(notebook: Notebook, cell: int) -> tuple[float, float]:
    """Show a source; return the seconds to the frame and to the first rows, and stop it again."""
    notebook.start(cell)
    began = time.monotonic()
    # What an earlier run has left is gone when the cell is running.
    frame = _seconds_until(lambda: notebook.view(cell).get_by_role("button", name="Stop the stream").count(), began)
    rows = _seconds_until(lambda: notebook.view(cell).locator("tbody tr").count(), began)
    notebook.wait_for_end(cell)
    notebook.view(cell).get_by_role("button", name="Stop the stream").click()
    notebook.cells.nth(cell).locator(".sc-state:text-is('stopped')").wait_for()
    return frame, rows


def _seconds_until(is_there, began: float) -> float:
    while not is_there():
        if time.monotonic() - began > PATIENCE:
            raise TimeoutError("nothing has appeared on the page")
        time.sleep(LOOK_EVERY)
    return time.monotonic() - began


def _print(set_ups: dict[str, list[float]], found: dict[str, list[tuple[float, float]]]) -> None:
    said = ", ".join(f"{name.replace('_', ' ')} {statistics.median(times):.1f}" for name, times in set_ups.items())
    table = Table(title=f"Seconds after Shift+Enter (set-up: {said})", title_justify="left")
    table.add_column("source")
    for heading in ("frame, first time", "rows, first time", "frame, median", "rows, median", "rows, worst"):
        table.add_column(heading, justify="right")
    for name, times in found.items():
        frames, rows = zip(*times[1:], strict=True)
        cells = (*times[0], statistics.median(frames), statistics.median(rows), max(rows))
        table.add_row(name, *(f"{seconds:.2f}" for seconds in cells))
    Console().print(table)
