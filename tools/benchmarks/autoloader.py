"""How fast files are ingested: ``cloudFiles`` against Spark's own file source, both with a schema.

The same generated files for all sides, each side in a process of its own with an ordinary JVM that twenty small batches
have warmed up, the sides in turn so that a busy moment of the machine hits all; what is printed are medians.

=========  =============================================================================================
part       what it is about
=========  =============================================================================================
small      where a file source hurts, many small files: the first batch, and one of those after it
large      where it is good, few large ones: 200 MB of each format
huge       2 GB of lines
known      a trigger that finds nothing new among 100,000 files that are known, and one that finds a file
million    the same among 1,000,000
first      what a person waits for: from ``load`` to the first rows of a small folder, in a lesson's session
           that has done nothing yet
=========  =============================================================================================

All of it takes most of an hour; ``CLASSROOM_BENCH_PARTS=small,first`` runs two of them.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks import _first_rows
from benchmarks._files_to_ingest import STRINGS, WITHOUT_STATUS, empty_files, large_files, small_files
from benchmarks._ingesting import NATIVE, OURS, TUNED, Files, batches, known_files, sides

ROUNDS = 3
SMALL_FILES, ROWS_A_FILE, SMALL_BATCHES = 20_000, 5, 6
RESCUING = {OURS: {"rescuedDataColumn": "_rescued_data"}}  # Spark's own source drops what the schema does not name
# What is read, its format, how, and what one side alone is told.
LARGE = {
    "JSON, strings": ("json", {"schema": STRINGS}, {}),
    "JSON, typed": ("json", {}, {}),
    "JSON, typed, a field unknown in 1 %": ("json unknown", {}, RESCUING),
    "CSV, strings": ("csv", {"schema": STRINGS}, {}),
    "CSV, typed": ("csv", {}, {}),
    "CSV, quoted, strings": ("csv quoted", {"schema": STRINGS}, {}),
    "CSV, quoted, typed": ("csv quoted", {}, {}),
    "Parquet": ("parquet", {}, {}),
    "Parquet, a column rescued": ("parquet", {"schema": WITHOUT_STATUS}, RESCUING),
}
HUGE = ("JSON, strings", "JSON, typed", "CSV, strings", "CSV, typed", "CSV, quoted, typed")
TRIGGERS = 5  # with nothing new


def main() -> None:
    """Run the parts, print a table for each, and as the last line the figures as JSON."""
    parts: Mapping[str, Callable[[Path], dict[str, Any]]] = {
        "small": _small,
        "large": lambda scratch: _large(scratch, LARGE, 200, 8, ROUNDS),
        "huge": lambda scratch: _large(scratch, HUGE, 2000, 16, 1),
        "known": lambda scratch: _known(scratch, 100_000),
        "million": lambda scratch: _known(scratch, 1_000_000),
        "first": _first_rows.measure,
    }
    wanted = os.environ.get("CLASSROOM_BENCH_PARTS", "").split(",")
    chosen = parts if wanted == [""] else {name: parts[name] for name in wanted}
    figures: dict[str, Any] = {}
    for name, measure in chosen.items():
        with _scratch() as scratch:
            figures[name] = measure(scratch)
    # Of what a file source is worst at, where that was measured.
    ratio = figures.get("small", {}).get("into delta, later", {}).get("ratio")
    print(json.dumps(figures | {"ratio": ratio}))


@contextmanager
def _scratch() -> Iterator[Path]:
    scratch = Path(tempfile.mkdtemp(prefix="bench-autoloader-", dir=os.environ.get("CLASSROOM_BENCH_DIRECTORY")))
    try:
        yield scratch
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _small(scratch: Path) -> dict[str, Any]:
    small_files(scratch / "files", SMALL_FILES, ROWS_A_FILE)
    rows = {}
    with sides(NATIVE, TUNED, OURS) as process:
        for sink in ("noop", "delta"):
            work = {name: (batches, Files(name, scratch / "files"), sink, SMALL_BATCHES) for name in process}
            rows |= _rows(_in_turn(process, ROUNDS, work), f"into {sink}, first", f"into {sink}, later")
    return _compare(f"{SMALL_FILES:,} JSON files of {ROWS_A_FILE} rows, 1,000 a trigger; seconds of a batch", rows)


def _large(scratch: Path, names: Iterable[str], megabytes: int, files: int, rounds: int) -> dict[str, Any]:
    rows = {}
    with sides(NATIVE, OURS) as process:
        for name in names:
            kind, how, told = LARGE[name]
            records = large_files(scratch / "files", kind, megabytes, files)
            read = Files(NATIVE, scratch / "files", kind.split()[0], **how)
            given = {side: replace(read, reader=side, options=told.get(side, {})) for side in process}
            work = {side: (batches, given[side], "noop", 1, records) for side in process}
            rows |= _rows(_in_turn(process, rounds, work), name)
            shutil.rmtree(scratch / "files")
    return _compare(f"{megabytes:,} MB in {files} files, into noop; seconds from load to the end", rows)


def _known(scratch: Path, files: int) -> dict[str, Any]:
    empty_files(scratch / "files", files)
    with sides(NATIVE, OURS) as process:
        read = {name: Files(name, scratch / "files", files_a_trigger=files + 1) for name in process}
        # Once each: of the triggers it takes the median by itself.
        found = _in_turn(process, 1, {name: (known_files, read[name], TRIGGERS) for name in process})
    return _compare(f"{files:,} files; seconds", _rows(found, "until all are known", "nothing new", "one file more"))


def _in_turn(
    process: Mapping[str, Callable[..., Any]], rounds: int, work: Mapping[str, tuple[Any, ...]]
) -> dict[str, list[float]]:
    """Have each side do its work, round after round; return the medians of each figure that a side's work returns."""
    taken = [{side: run(*work[side]) for side, run in process.items()} for _ in range(rounds)]
    return {
        side: [statistics.median(figure) for figure in zip(*(run[side] for run in taken), strict=True)]
        for side in process
    }


def _rows(found: Mapping[str, Sequence[float]], *names: str) -> dict[str, dict[str, float]]:
    """Turn the figures of each side into a row for each figure."""
    return {name: {side: figures[number] for side, figures in found.items()} for number, name in enumerate(names)}


def _compare(title: str, rows: Mapping[str, Mapping[str, float]]) -> dict[str, Any]:
    """Print the rows with how many times ours is as fast as each other; return them rounded."""
    others = [side for side in next(iter(rows.values())) if side != OURS]
    table = Table(title=title, title_justify="left")
    table.add_column("")
    for heading in (*others, OURS, *(f"{side}, times ours" for side in others)):
        table.add_column(heading, justify="right")
    for name, row in rows.items():
        seconds = (f"{row[side]:.3g}" for side in (*others, OURS))
        table.add_row(name, *seconds, *(f"{row[side] / row[OURS]:.2f}" for side in others))
    Console(width=120).print(table)
    return {name: _rounded(row) | {"ratio": round(row[others[0]] / row[OURS], 2)} for name, row in rows.items()}


def _rounded(row: Mapping[str, float]) -> dict[str, float]:
    return {side: round(seconds, 4) for side, seconds in row.items()}


if __name__ == "__main__":
    main()
