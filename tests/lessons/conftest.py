"""What a lesson showed in the run of these tests, and the datasets' files, for reference answers without Spark."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from nbformat import NotebookNode

from streaming_classroom.data import datasets


@pytest.fixture(scope="session")
def dataset() -> Callable[[str], Path]:
    """A function that returns the folder of a dataset's generated files."""
    return datasets.generate


@pytest.fixture(scope="session")
def lines(lesson_runs) -> Callable[[str, str], list[str]]:
    """A function of lesson and cell id that returns what the cell printed, line by line."""
    return lambda lesson, cell: _lines(lesson_runs.executed(lesson), cell)


@pytest.fixture(scope="session")
def shown(lines) -> Callable[[str, str], pd.DataFrame]:
    """A function of lesson and cell id that returns the table that the cell printed with Spark's ``show``.

    All values are text; NULL is None.
    """
    return lambda lesson, cell: _table(lines(lesson, cell))


@pytest.fixture(scope="session")
def displayed(lesson_runs) -> Callable[[str, str], pd.DataFrame]:
    """A function of lesson and cell id that returns the table that the cell displayed: text, NULL is None."""

    def table(lesson: str, cell: str) -> pd.DataFrame:
        [found] = (each for each in lesson_runs.executed(lesson).cells if each.id == cell)
        assert "nbval-check-output" in found.metadata.get("tags", []), (
            f"nothing compares {cell} with the committed file"
        )
        [text] = (output.data["text/plain"] for output in found.outputs if "data" in output)
        head, *rows, _number = (re.split(r"\s{2,}", line.strip()) for line in text.splitlines())
        return pd.DataFrame(rows, columns=head).replace({"NULL": None})

    return table


def _lines(notebook: NotebookNode, cell: str) -> list[str]:
    [found] = (each for each in notebook.cells if each.id == cell)
    assert "nbval-check-output" in found.metadata.get("tags", []), f"nothing compares {cell} with the committed file"
    printed = (output.text for output in found.outputs if output.output_type == "stream" and output.name == "stdout")
    return "".join(printed).splitlines()


def _table(lines: list[str]) -> pd.DataFrame:
    head, *rows = ([value.strip() for value in line.strip("|").split("|")] for line in lines if line.startswith("|"))
    return pd.DataFrame(rows, columns=head).replace({"NULL": None})
