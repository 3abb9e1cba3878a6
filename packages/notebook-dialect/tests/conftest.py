"""A notebook after its set-up cell, for what a cell may say."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from kernel_harness import Notebook


@pytest.fixture(scope="session")
def _notebook(open_notebook: Callable[..., Notebook]) -> Notebook:
    notebook = open_notebook()
    result = notebook.ok("%run ../Includes/Classroom-Setup")
    assert result.outputs == []
    return notebook


@pytest.fixture
def notebook(_notebook: Notebook) -> Iterator[Notebook]:
    """Have the notebook that most tests share, after its set-up cell; no stream of a test outlives it."""
    yield _notebook
    _notebook.ok("stopAllStreams()")
