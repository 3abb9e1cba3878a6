"""A lesson leaves the same tables where its streams keep running and where each run of a stream ends."""

from __future__ import annotations

import json
import shutil
from itertools import accumulate
from pathlib import Path

import nbformat
import pytest
from rich.console import Console

from engines.engine import CELL_TIMEOUT, ENGINES, LESSON_TIMEOUT, NOT_RAISED
from streaming_classroom.data import datasets
from streaming_classroom.files import directories
from streaming_classroom.runner.lesson_files import find_lessons
from streaming_classroom.runner.suite import run_lessons

LAST = """import json
left = {}
for table in spark.catalog.listTables():
    rows = spark.table(table.name) if not table.isTemporary else None
    if rows is not None:
        columns = ", ".join(f"CAST(`{name}` AS STRING)" for name, _type in rows.dtypes)
        left[table.name] = list(rows.selectExpr(f"count(*)", f"bit_xor(xxhash64({columns}))").first())
print("LEFT", json.dumps(left, sort_keys=True))
DA.cleanup()"""


def tables_left(number: str, engine: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, list[int]]:
    """Run a lesson on an engine; return for each table its number of rows and their hash before the clean-up."""
    copies = folder / "notebooks"
    shutil.copytree(directories.PROJECT / "Includes", folder / "Includes")
    copies.mkdir()
    [lesson] = find_lessons([number], directories.notebooks())
    notebook = nbformat.read(lesson, as_version=4)
    [last] = [cell for cell in notebook.cells if cell.source == "DA.cleanup()"]
    last.source = LAST
    nbformat.write(notebook, copies / lesson.name)
    started = {one.name: one for one in ENGINES}[engine]
    (folder / "engine").mkdir()
    with started.start(folder / "engine") as environment:
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        [result] = run_lessons(
            [copies / lesson.name],
            cell_timeout=CELL_TIMEOUT,
            lesson_timeout=LESSON_TIMEOUT,
            home=folder / "home",
            console=Console(quiet=True),
        ).lessons
    monkeypatch.undo()
    # A cell that is meant to fail may succeed elsewhere, as for the record of engines.
    assert [failure for failure in result.failures if NOT_RAISED not in failure.message] == []
    executed = nbformat.read(result.executed, as_version=4)
    shown = "".join(out.get("text", "") for cell in executed.cells for out in cell.get("outputs", []))
    [line] = [line for line in shown.splitlines() if line.startswith("LEFT ")]
    return json.loads(line.removeprefix("LEFT "))


#: Tables whose stream the lesson stops while it reads a dataset: how many files they have depends on the moment.
STOPPED_MIDWAY = {"01": {"all_readings": "device-readings/readings"}}


def _rows_of_whole_files(dataset: str) -> set[int]:
    """Return the numbers of rows that a table may have that has read some files of a dataset, in order, each once."""
    files = (file for batch in datasets.batches(dataset) for file in batch.files.values())
    return set(accumulate(len(file.read_bytes().splitlines()) for file in files))


@pytest.mark.exhaustive  # up to five minutes each
@pytest.mark.parametrize("number", ["01", "03", "04", "06", "08", "10"])
def test_a_lesson_leaves_the_same_tables_in_both_forms(
    number: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = {}
    for engine in ("local", "serverless"):
        (tmp_path / engine).mkdir()
        left[engine] = tables_left(number, engine, tmp_path / engine, monkeypatch)
    for table, dataset in STOPPED_MIDWAY.get(number, {}).items():
        rows = {tables.pop(table)[0] for tables in left.values()}
        assert rows <= _rows_of_whole_files(dataset)
    assert left["local"]
    # On serverless the rows of memory sinks are in tables as well.
    assert {table: left["serverless"].get(table) for table in left["local"]} == left["local"]
