"""One run of the lessons for all tests that look at their outputs."""

from __future__ import annotations

import os
import random
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import nbformat
import pytest

from streaming_classroom.files import directories

from .lanes import lesson_of
from .sampling import SEED

if TYPE_CHECKING:
    from nbformat import NotebookNode

    from streaming_classroom.runner import LessonResult


@pytest.fixture(scope="session")
def lesson_runs(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> LessonRuns:
    """Have every lesson that a test of this run is about executed once, and compared with its file."""
    return LessonRuns(request.session.items, tmp_path_factory.mktemp("lessons") / "home")


class LessonRuns:
    """One run of some lessons by the runner, in an order that the seed decides.

    Parameters
    ----------
    items
        The tests of this process: of each in the lane ``lessons`` the lesson is run that it has as a parameter
        ``lesson``, or that its module is named after.
    home
        Where the run's homes and executed notebooks are.
    """

    def __init__(self, items: Sequence[pytest.Item], home: Path) -> None:
        self._numbers = sorted({number for item in items if (number := lesson_of(item))})
        self._home = home

    @cached_property
    def _results(self) -> dict[str, LessonResult]:
        from streaming_classroom.runner import find_lessons, lesson_number, run_lessons

        lessons = find_lessons(self._numbers, directories.notebooks())
        random.Random(os.environ[SEED]).shuffle(lessons)
        done = run_lessons(lessons, jobs=2, cell_timeout=240, lesson_timeout=900, home=self._home, compare=True)
        return {lesson_number(result.lesson): result for result in done.lessons}

    def result(self, number: str) -> LessonResult:
        """Return how a lesson went."""
        return self._results[number]

    def executed(self, number: str) -> NotebookNode:
        """Return a lesson as the run left it.

        Raises
        ------
        AssertionError
            The lesson did not pass; its own test says why.
        """
        result = self.result(number)
        assert result.outcome == "passed", f"lesson {number} {result.outcome}"
        return nbformat.read(result.executed, as_version=4)
