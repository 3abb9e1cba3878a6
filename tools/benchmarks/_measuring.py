"""Measurements in turn, each in a fresh process with a home of its own: a busy machine disturbs all sides alike."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.progress import track
from rich.table import Table

TIMEOUT = 3600  # seconds for one process


def measure(module: str, *arguments: str) -> Any:
    """Run a benchmark's module with arguments; return the JSON of its last line.

    With ``CLASSROOM_BENCH_VERBOSE``, Spark's stderr is shown.
    """
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        done = subprocess.run(
            [sys.executable, "-m", module, *arguments],
            env=os.environ | {"CLASSROOM_HOME": home},
            cwd=home,
            stdout=subprocess.PIPE,
            stderr=None if "CLASSROOM_BENCH_VERBOSE" in os.environ else subprocess.DEVNULL,
            text=True,
            timeout=TIMEOUT,
            check=True,
        )
    return json.loads(done.stdout.splitlines()[-1])


def medians_in_turn(module: str, sides: Mapping[str, Sequence[str]], rounds: int) -> dict[str, list[float]]:
    """Measure all sides, round after round; return the medians of each side's figures.

    Parameters
    ----------
    module
        The module that measures.
    sides
        The arguments of each side.
    rounds
        How often each side is measured.
    """
    taken: dict[str, list[list[float]]] = {side: [] for side in sides}
    for _round in track(range(rounds), "Rounds", console=Console(stderr=True), transient=True):
        for side, arguments in sides.items():
            taken[side].append(measure(module, *arguments))
    return {side: [statistics.median(figure) for figure in zip(*runs, strict=True)] for side, runs in taken.items()}


def print_table(title: str, headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table, its first column to the left and all others to the right."""
    table = Table(title=title, title_justify="left")
    for number, heading in enumerate(headings):
        table.add_column(heading, justify="right" if number else "left")
    for row in rows:
        table.add_row(*row)
    Console(width=120).print(table)
