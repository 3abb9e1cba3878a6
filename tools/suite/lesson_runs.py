"""One run of each lesson for all tests about what it shows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import nbformat
import pytest

from streaming_classroom.files import directories

if TYPE_CHECKING:
    from nbformat import NotebookNode

    from streaming_classroom.runner.results import LessonResult

CELL_TIMEOUT, LESSON_TIMEOUT = 240, 900  # seconds, for a machine that is shared and busy


@pytest.fixture(scope="session")
def lesson_runs(tmp_path_factory: pytest.TempPathFactory) -> LessonRuns:
    """Return the runs of lessons of this process."""
    return LessonRuns(tmp_path_factory.mktemp("lessons") / "home")


class LessonRuns:
    """Runs of lessons, each at most once, with its marked outputs compared with the committed file.

    Parameters
    ----------
    home
        The directory of the runs' homes and executed notebooks.
    """

    def __init__(self, home: Path) -> None:
        self._home = home
        self._results: dict[str, LessonResult] = {}

    def result(self, number: str) -> LessonResult:
        """Return the result of a lesson's run."""
        from streaming_classroom.runner.lesson_files import find_lessons
        from streaming_classroom.runner.suite import run_lessons

        if number not in self._results:
            lessons = find_lessons([number], directories.notebooks())
            done = run_lessons(
                lessons, cell_timeout=CELL_TIMEOUT, lesson_timeout=LESSON_TIMEOUT, home=self._home, compare=True
            )
            [self._results[number]] = done.lessons
        return self._results[number]

    def executed(self, number: str) -> NotebookNode:
        """Return a lesson as its run left it.

        Raises
        ------
        AssertionError
            The lesson did not pass.
        """
        result = self.result(number)
        assert result.outcome == "passed", f"lesson {number} {result.outcome}"
        return nbformat.read(result.executed, as_version=4)
