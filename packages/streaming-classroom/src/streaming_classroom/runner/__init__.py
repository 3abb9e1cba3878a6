"""The headless runner: every lesson in a fresh kernel, with the rules of CI.

Importing it costs next to nothing: papermill and Jupyter, which take a second, are imported with ``run_lessons``.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from streaming_classroom.runner.find import find_lessons, lesson_number
from streaming_classroom.runner.results import (
    Failure,
    InvalidNotebook,
    LessonChanged,
    LessonNotFound,
    LessonResult,
    NoLessons,
    RunnerError,
    SuiteResult,
)

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
    "lesson_number",
    "run_lessons",
]


def __getattr__(name: str) -> Any:
    if name != "run_lessons":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return import_module(f"{__name__}.suite").run_lessons
