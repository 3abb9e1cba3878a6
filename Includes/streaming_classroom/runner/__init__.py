"""The headless runner: every lesson in a fresh kernel, judged as CI would judge it.

Importing it costs next to nothing: papermill and Jupyter are imported by the first run only.
"""

from __future__ import annotations

from .find import find_lessons
from .results import Failure, LessonResult, SuiteResult
from .runner_errors import InvalidNotebook, LessonChanged, LessonNotFound, NoLessons, RunnerError
from .suite import run_lessons

__all__ = [
    "Failure",
    "InvalidNotebook",
    "LessonChanged",
    "LessonNotFound",
    "LessonResult",
    "NoLessons",
    "RunnerError",
    "SuiteResult",
    "find_lessons",
    "run_lessons",
]
