"""The catalogue of exercises and quizzes: modules of ``lesson_exercises``, found by the lesson's number."""

from __future__ import annotations

import sys
import traceback
from dataclasses import dataclass
from importlib import import_module, util
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType
from typing import Any

from streaming_base.close_names import close_names
from streaming_classroom.errors import ClassroomError
from streaming_classroom.exercises.exercise import Exercise, Question
from streaming_classroom.files import directories

PACKAGE = "lesson_exercises"
EXERCISES = directories.PROJECT / "exercises"
_PREFIX, _QUIZ_PREFIX = "lesson_", "quiz_"


@dataclass(eq=False)
class UnknownExercise(ClassroomError):
    """No exercise of that number: use one of those that exist."""

    name: str
    nearest: tuple[str, ...]

    def __str__(self) -> str:
        return f"There is no exercise {self.name!r}. The nearest are {', '.join(self.nearest)}."


@dataclass(eq=False)
class BrokenExercises(ClassroomError):
    """A module of exercises cannot be imported: fix it at the line that is named."""

    module: str
    line: int | None
    problem: str

    def __str__(self) -> str:
        place = "" if self.line is None else f", line {self.line}"
        return f"The exercises in exercises/{self.module}.py cannot be read{place}: {self.problem}."


def lessons() -> list[str]:
    """Return the lessons that have exercises, by number and in order: ``01``, ``02``, ``02L``."""
    return _numbers(_PREFIX)


def quizzes() -> list[str]:
    """Return the lessons that have a quiz, by number and in order."""
    return _numbers(_QUIZ_PREFIX)


def quiz_of(lesson: str) -> tuple[Question, ...]:
    """Return the questions of a lesson's quiz; none where it has none."""
    if lesson.upper() not in quizzes():
        return ()
    return _found_in(f"{_QUIZ_PREFIX}{lesson.lower()}", "QUESTIONS")


def of_lesson(lesson: str) -> tuple[Exercise, ...]:
    """Return a lesson's exercises in their order; none where it has none."""
    if lesson.upper() not in lessons():
        return ()
    return _found_in(f"{_PREFIX}{lesson.lower()}", "EXERCISES")


def every() -> list[Exercise]:
    """Return all exercises, lesson by lesson."""
    return [exercise for lesson in lessons() for exercise in of_lesson(lesson)]


def find(name: str) -> Exercise:
    """Return an exercise by its number.

    Raises
    ------
    UnknownExercise
        There is none of that number.
    """
    wanted = str(name).strip().upper()
    for exercise in of_lesson(wanted.partition(".")[0]):
        if exercise.id == wanted:
            return exercise
    names = [exercise.id for exercise in every()]
    raise UnknownExercise(str(name), tuple(close_names(wanted, names, alike=0)))


def _numbers(prefix: str) -> list[str]:
    found = iter_modules(_package().__path__)
    return sorted(module.name.removeprefix(prefix).upper() for module in found if module.name.startswith(prefix))


def _found_in(name: str, what: str) -> tuple[Any, ...]:
    try:
        return getattr(import_module(f"{_package().__name__}.{name}"), what)
    except Exception as error:  # whatever the file's own code raises
        raise BrokenExercises(name, _line_in(f"{name}.py", error), f"{type(error).__name__}: {error}") from error


def _line_in(file: str, error: Exception) -> int | None:
    """Return the last line of a file that an error has passed, or in which it could not be parsed."""
    if isinstance(error, SyntaxError) and error.filename and Path(error.filename).name == file:
        return error.lineno
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if Path(frame.filename).name == file]
    return lines[-1] if lines else None


def _package() -> ModuleType:
    """Return the package of the exercises, which is beside the lessons and not among what is installed."""
    if PACKAGE not in sys.modules:
        spec = util.spec_from_file_location(PACKAGE, EXERCISES / "__init__.py")
        sys.modules[PACKAGE] = package = util.module_from_spec(spec)
        spec.loader.exec_module(package)
    return sys.modules[PACKAGE]
