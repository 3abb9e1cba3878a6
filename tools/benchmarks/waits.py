"""What a learner waits for in [*], on a machine that is idle and on one that is busy: set-up, rows, landing, a check.

Each round has kernels and a home of its own, once with nothing else to do and once beside busy loops, four to a core,
as in a machine room where every process wants the same two cores.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.progress import track
from rich.table import Table

from answering import code_of
from kernel_harness import Notebook

ROUNDS = int(os.environ.get("CLASSROOM_BENCH_ROUNDS", "3"))
LOOPS_A_CORE = 4
PATIENCE = 600  # seconds for one cell
READING = 5.0  # seconds between two cells of somebody who reads what stands between them
EXERCISE = "05L.2"  # a check that waits for a stream and compares its table several times
SET_UP = """
get_ipython().kernel._allow_stdin = True  # as JupyterLab says with each cell
from streaming_classroom import set_up_notebook, start_lesson
set_up_notebook(globals())
DA = start_lesson({arguments})
"""
READINGS = '"waits", dataset="device-readings/readings"'
EDITS = '"waits-kafka", dataset="wikipedia/edits", into_topic="edits"'
DISPLAY = """
get_ipython().kernel._allow_stdin = True
DA.data_factory.land()
display(spark.readStream.schema("device_id INT, heartrate DOUBLE").json(DA.paths.landing), streamName="readings")
"""
LOAD = "DA.data_factory.load()"


def main() -> None:
    """Run the rounds, print a table, and as the last line the figures as JSON."""
    seconds: dict[str, dict[str, list[float]]] = {"idle": {}, "busy": {}}
    for _round in track(range(ROUNDS), "Rounds", console=Console(stderr=True), transient=True):
        for side, loops in (("idle", 0), ("busy", LOOPS_A_CORE * (os.cpu_count() or 2))):
            with _busy(loops):
                for what, took in _waits().items():
                    seconds[side].setdefault(what, []).append(took)
    medians = {side: {what: statistics.median(took) for what, took in found.items()} for side, found in seconds.items()}
    _print(medians)
    print(json.dumps({f"{side}_{what}_s": round(took, 2) for side in medians for what, took in medians[side].items()}))


def _waits() -> dict[str, float]:
    """Return the seconds of one learner's cells, by what they do."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        root = Path(scratch)
        return _waits_without_kafka(root) | _waits_with_kafka(root) | {"check": _wait_for_a_check(root)}


def _waits_without_kafka(root: Path) -> dict[str, float]:
    with _notebook(root) as notebook:
        return {
            "set_up": _timed(notebook, SET_UP.format(arguments=READINGS)),
            "display": _timed(notebook, DISPLAY),
            "load": _timed(notebook, LOAD),
        }


def _waits_with_kafka(root: Path) -> dict[str, float]:
    with _notebook(root) as notebook:
        set_up = _timed(notebook, SET_UP.format(arguments=EDITS))
        time.sleep(READING)
        return {"kafka_set_up": set_up, "kafka_load": _timed(notebook, LOAD)}


def _wait_for_a_check(root: Path) -> float:
    """Return the seconds of the check of an exercise that is solved, after the cells above it."""
    with _notebook(root) as notebook:
        for cell, task in code_of(EXERCISE.partition(".")[0]):
            if task is None:
                notebook.run(cell.source, PATIENCE)
                continue
            notebook.run(task.exercise.solution, PATIENCE)
            if task.exercise.id == EXERCISE:
                return _timed(notebook, task.check)
    raise LookupError(EXERCISE)


def _timed(notebook: Notebook, cell: str) -> float:
    began = time.monotonic()
    notebook.ok(cell, PATIENCE)
    return time.monotonic() - began


@contextmanager
def _notebook(root: Path) -> Iterator[Notebook]:
    """Give a kernel beside the course's includes, in a home that the round's kernels share."""
    folder = root / "notebooks"
    folder.mkdir(exist_ok=True)
    if not (includes := root / "Includes").exists():
        includes.symlink_to(Path(__file__).parents[2] / "Includes", target_is_directory=True)
    notebook = Notebook(folder, root / "home")
    try:
        yield notebook
    finally:
        notebook.close()


@contextmanager
def _busy(loops: int) -> Iterator[None]:
    """Keep the cores busy with so many loops for a ``with`` block."""
    running = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(loops)]
    try:
        yield
    finally:
        for loop in running:
            loop.kill()
            loop.wait()


def _print(medians: dict[str, dict[str, float]]) -> None:
    table = Table(title=f"Seconds of a cell, medians of {ROUNDS}", title_justify="left")
    table.add_column("cell")
    for heading in ("idle", f"beside {LOOPS_A_CORE} busy loops a core"):
        table.add_column(heading, justify="right")
    for what, idle in medians["idle"].items():
        table.add_row(what.replace("_", " "), f"{idle:.1f}", f"{medians['busy'][what]:.1f}")
    Console().print(table)


if __name__ == "__main__":
    main()
