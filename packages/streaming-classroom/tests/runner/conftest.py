"""Fixtures of the runner's tests: notebooks broken on purpose, and a way to run them quietly."""

from __future__ import annotations

import io
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from streaming_classroom.runner.results import SuiteResult
from streaming_classroom.runner.suite import run_lessons

from . import broken_notebooks

PASSING = Path(__file__).parent / "notebooks" / "passing.ipynb"  # which CI runs by its path, too


@pytest.fixture(scope="session")
def fixture_notebook(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Give the path of a notebook, broken or passing."""
    folder = tmp_path_factory.mktemp("notebooks")
    broken_notebooks.write_all(folder)
    shutil.copy(PASSING, folder)
    return lambda name: folder / f"{name}.ipynb"


@pytest.fixture
def lesson(tmp_path: Path, fixture_notebook: Callable[[str], Path]) -> Callable[..., Path]:
    """Copy a fixture notebook to where a test may write, under the name of a lesson."""

    def copy(name: str, target: str = "notebooks/01-Lesson.ipynb") -> Path:
        path = tmp_path / target
        path.parent.mkdir(parents=True, exist_ok=True)
        return shutil.copy(fixture_notebook(name), path)

    return copy


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., SuiteResult]:
    """Run lessons with a home below the test's own directory and nothing printed."""

    def call(*lessons: Path, **options: Any) -> SuiteResult:
        options.setdefault("console", Console(file=io.StringIO()))
        options.setdefault("home", tmp_path / "home")
        return run_lessons(lessons, **options)

    return call
