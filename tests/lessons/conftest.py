"""What a lesson's committed outputs say, and the datasets' files, for reference answers without Spark.

``tests/test_notebooks.py`` compares the same outputs with a fresh run, so a result that agrees here is what the
lesson's streams produce.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import nbformat
import pandas as pd
import pytest

from streaming_classroom import datasets, places


@pytest.fixture(scope="session")
def dataset() -> Callable[[str], Path]:
    """A function that returns the folder of a dataset's generated files."""
    return datasets.generate


@pytest.fixture(scope="session")
def lines() -> Callable[[str, str], list[str]]:
    """A function of lesson and cell id that returns what the cell printed, line by line."""
    return _lines


@pytest.fixture(scope="session")
def shown() -> Callable[[str, str], pd.DataFrame]:
    """A function of lesson and cell id that returns the table that the cell printed with Spark's ``show``.

    All values are text; NULL is None.
    """
    return _shown


def _lines(lesson: str, cell: str) -> list[str]:
    [path] = places.notebooks().glob(f"{lesson}-*.ipynb")
    [found] = (each for each in nbformat.read(path, as_version=4).cells if each.id == cell)
    assert "nbval-check-output" in found.metadata.get("tags", []), f"nothing compares {cell} with a fresh run"
    printed = (output.text for output in found.outputs if output.output_type == "stream" and output.name == "stdout")
    return "".join(printed).splitlines()


def _shown(lesson: str, cell: str) -> pd.DataFrame:
    head, *rows = (
        [value.strip() for value in line.strip("|").split("|")] for line in _lines(lesson, cell) if line.startswith("|")
    )
    return pd.DataFrame(rows, columns=head).replace({"NULL": None})
