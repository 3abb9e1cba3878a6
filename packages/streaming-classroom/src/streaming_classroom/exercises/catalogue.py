"""The catalogue of exercises and quizzes: the folders of ``exercises/``, loaded by the exercise's number.

Exercise 02L.3 is the folder ``lesson_02l/3``: its cells (``starter``, ``solution``, ``wrong``), its texts
(``exercise.toml``) and its check (``check.py``).  A cell in a ``.sql`` file is one of ``%sql``; the file does not have
that first line.  The rows that the solutions return in the hidden tests are in ``expected.json``, so that a check does
not run the solution as well.
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
import traceback
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module, util
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from streaming_base.close_names import close_names
from streaming_classroom.errors import ClassroomError
from streaming_classroom.exercises.exercise import Exercise, Makes, WrongAnswer
from streaming_classroom.exercises.verdict import Rows
from streaming_classroom.files import directories

if TYPE_CHECKING:
    from streaming_classroom.exercises.quiz import Question

PACKAGE = "lesson_exercises"
EXERCISES = directories.PROJECT / "exercises"
EXPECTED_ROWS = EXERCISES / "expected.json"
#: Names and rows of the results of each hidden test of an exercise.
ExpectedRows = list[list[tuple[str, Rows]]]
_LESSON = re.compile(r"lesson_(\d\d[a-z]?)")
_ID = re.compile(r"(\d\d[A-Z]?)\.([1-9]\d*)")
_TEXTS, _CHECK, _EQUIVALENT, _QUIZ = "exercise.toml", "check.py", "equivalent", "quiz.py"
_KEYS = ("title", "hints", "why", "is_over_when_right", "is_optional", "minutes")
#: The first line of a cell in a file with several.
_HEADING = re.compile(r"(?:#|--) %%(.*)")


@dataclass(eq=False)
class UnknownExercise(ClassroomError):
    """There is no exercise with this number."""

    name: str
    nearest: tuple[str, ...]

    def __str__(self) -> str:
        return f"There is no exercise {self.name!r}. The nearest are {', '.join(self.nearest)}."


@dataclass(eq=False)
class BrokenExercises(ClassroomError):
    """A file of an exercise or a quiz cannot be loaded: fix it at the line in the message.

    ``file``: the file, below the directory of the exercises; ``line``: the line, from 1; ``problem``: what is wrong
    with it.
    """

    file: Path
    line: int | None
    problem: str

    def __str__(self) -> str:
        line = "" if self.line is None else f", line {self.line}"
        return f"exercises/{self.file.as_posix()}{line} cannot be loaded: {self.problem}."


def lessons() -> list[str]:
    """Return the numbers of the lessons that have exercises, in order: ``01``, ``02``, ``02L``."""
    return [lesson for lesson in _lesson_folders() if _numbers(lesson)]


def quizzes() -> list[str]:
    """Return the numbers of the lessons that have a quiz, in order."""
    return [lesson for lesson, folder in _lesson_folders().items() if (folder / _QUIZ).is_file()]


def quiz_of(lesson: str) -> tuple[Question, ...]:
    """Return the questions of a lesson's quiz; an empty tuple if the lesson has no quiz.

    Raises BrokenExercises: the quiz cannot be loaded.
    """
    if lesson.upper() not in quizzes():
        return ()
    file = _lesson_folders()[lesson.upper()] / _QUIZ
    return _attribute(_module(file), "QUESTIONS", file)


def exercise_ids(lesson: str) -> list[str]:
    """Return the numbers of a lesson's exercises in order, without loading them."""
    return [f"{lesson.upper()}.{number}" for number in _numbers(lesson)]


def exercises_of(lesson: str) -> tuple[Exercise, ...]:
    """Return a lesson's exercises in order; an empty tuple if the lesson has no exercises.

    Raises BrokenExercises: a file of an exercise is missing or cannot be loaded.
    """
    return tuple(map(_load, exercise_ids(lesson)))


def all_exercises() -> list[Exercise]:
    """Return all exercises, lesson by lesson."""
    return [exercise for lesson in lessons() for exercise in exercises_of(lesson)]


def find(name: str) -> Exercise:
    """Return an exercise by its number.

    Raises UnknownExercise: there is no exercise with this number; BrokenExercises: a file of the exercise is missing
    or cannot be loaded.
    """
    wanted = str(name).strip().upper()
    if wanted not in exercise_ids(wanted.partition(".")[0]):
        names = [name for lesson in lessons() for name in exercise_ids(lesson)]
        raise UnknownExercise(str(name), tuple(close_names(wanted, names, alike=0)))
    return _load(wanted)


def cell(exercise: str, name: str) -> str:
    """Return the text of an exercise's cell: ``starter`` or ``solution``.

    Raises BrokenExercises: the file of the cell is missing.
    """
    file = _cell_file(_folder(exercise), name)
    text = _cell_text(_read(file).splitlines())
    if not text.strip():
        raise _broken(file, None, "it is empty")
    return _magic(file) + text


def check_module(exercise: str) -> ModuleType:
    """Return the module with an exercise's check.

    Raises BrokenExercises: the module is missing or cannot be loaded.
    """
    return _module(_folder(exercise) / _CHECK)


def expected_rows(exercise: str, number: int) -> list[tuple[str, Rows]] | None:
    """Return the names and expected rows of the results of a hidden test; None if they are not stored."""
    tests = _stored_rows().get(exercise, [])
    if number >= len(tests):
        return None
    return [(name, Rows.from_json(rows)) for name, rows in tests[number].items()]


def all_expected_rows() -> dict[str, ExpectedRows]:
    """Return the stored expected rows, by exercise."""
    return {
        name: [expected_rows(name, number) or [] for number in range(len(tests))]
        for name, tests in _stored_rows().items()
    }


def store_expected_rows(expected: Mapping[str, ExpectedRows]) -> None:
    """Write the expected rows of all exercises."""
    tests = {name: [{result: rows.to_json() for result, rows in test} for test in of] for name, of in expected.items()}
    lines = [f"{json.dumps(name)}: {json.dumps(of, ensure_ascii=False)}" for name, of in sorted(tests.items())]
    EXPECTED_ROWS.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    _stored_rows.cache_clear()


@cache
def _stored_rows() -> dict[str, Any]:
    return json.loads(EXPECTED_ROWS.read_text(encoding="utf-8")) if EXPECTED_ROWS.exists() else {}


def _load(exercise: str) -> Exercise:
    folder = _folder(exercise)
    texts = _texts(folder / _TEXTS)
    module = check_module(exercise)
    return Exercise(
        id=exercise,
        starter=cell(exercise, "starter"),
        solution=cell(exercise, "solution"),
        wrong=tuple(_wrong_answers(_cell_file(folder, "wrong"))),
        equivalent=tuple(_equivalents(folder)),
        check=_attribute(module, "check", folder / _CHECK),
        makes=getattr(module, "MAKES", Makes()),
        hidden=getattr(module, "HIDDEN", ()),
        **texts,
    )


def _texts(file: Path) -> dict[str, Any]:
    """Return what ``exercise.toml`` says.

    A text may be on several lines: line breaks and indentation become single spaces.
    """
    text = _read(file)
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"at line (\d+)", str(error))
        raise _broken(file, int(line[1]) if line else None, str(error)) from error
    for key in values:
        if key not in _KEYS:
            before = re.split(rf"^[\[\"' ]*{re.escape(key)}\b", text, maxsplit=1, flags=re.MULTILINE)[0]
            raise _broken(file, before.count("\n") + 1, f"the key `{key}` is unknown; the keys are {', '.join(_KEYS)}")
    for key in ("title", "why"):
        if key not in values:
            raise _broken(file, None, f"the key `{key}` is missing")
    values["hints"] = tuple(map(_unwrapped, values.get("hints", [])))
    return values | {key: _unwrapped(values[key]) for key in ("title", "why")}


def _unwrapped(text: str) -> str:
    return " ".join(text.split())


def _wrong_answers(file: Path) -> Iterator[WrongAnswer]:
    """Yield the wrong answers of a file; the words of the verdict are the end of a heading, after its last colon."""
    for line, heading, code in _cells(file):
        verdict = f"{heading} ".rpartition(": ")[2].strip()
        if not verdict:
            raise _broken(file, line, "the cell has no words of its verdict after `%%`")
        yield WrongAnswer(code, verdict)


def _equivalents(folder: Path) -> Iterator[str]:
    """Yield the other right answers of an exercise, which may be in Python although the solution is in SQL."""
    for file in (folder / f"{_EQUIVALENT}.sql", folder / f"{_EQUIVALENT}.py"):
        if file.is_file():
            yield from (code for _, _, code in _cells(file))


def _cells(file: Path) -> Iterator[tuple[int, str, str]]:
    """Yield line, heading and text of each cell of a file; comments above the first cell belong to no cell."""
    lines = _read(file).splitlines()
    begins = [number for number, line in enumerate(lines) if _HEADING.fullmatch(line)]
    for number, line in enumerate(lines[: begins[0] if begins else len(lines)], 1):
        if line.strip() and not line.startswith(("#", "--")):
            raise _broken(file, number, "each cell needs a heading, a comment that begins with `%%`")
    for begin, end in zip(begins, [*begins[1:], len(lines)], strict=True):
        code = _cell_text(lines[begin + 1 : end])
        if not code.strip():
            raise _broken(file, begin + 1, "the cell is empty")
        yield begin + 1, _HEADING.fullmatch(lines[begin])[1].strip(), _magic(file) + code


def _cell_text(lines: list[str]) -> str:
    return "\n".join(lines).strip("\n") + "\n"


def _magic(file: Path) -> str:
    return "%sql\n" if file.suffix == ".sql" else ""


def _cell_file(folder: Path, name: str) -> Path:
    """Return the file of cells that a folder has under this name: one of Python or one of SQL."""
    found = [file for suffix in (".py", ".sql") if (file := folder / f"{name}{suffix}").is_file()]
    if len(found) != 1:
        problem = f"{name}.sql exists too: keep one of them" if found else f"it is missing, and so is {name}.sql"
        raise _broken(folder / f"{name}.py", None, problem)
    return found[0]


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise _broken(file, None, "it is missing") from None


def _attribute(module: ModuleType, name: str, file: Path) -> Any:
    if not hasattr(module, name):
        raise _broken(file, None, f"it does not define `{name}`")
    return getattr(module, name)


def _module(file: Path) -> ModuleType:
    """Return the module of a file, such as ``lesson_exercises.lesson_02.1.check``; ``1`` is no name for ``import``."""
    if not file.is_file():
        raise _broken(file, None, "it is missing")
    package = _package()
    names = file.relative_to(package.__path__[0]).with_suffix("").parts
    try:
        return import_module(".".join((package.__name__, *names)))
    except BrokenExercises:
        raise
    except Exception as error:  # whatever the file's own code raises
        at, line = _position(error, file)
        raise _broken(at, line, f"{type(error).__name__}: {error}") from error


def _position(error: Exception, file: Path) -> tuple[Path, int | None]:
    """Return the file of the exercises and its line at which an error was raised; the file itself for other errors."""
    root = Path(_package().__path__[0])
    if isinstance(error, SyntaxError) and error.filename and Path(error.filename).is_relative_to(root):
        return Path(error.filename), error.lineno
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if Path(frame.filename).is_relative_to(root)]
    return (Path(frames[-1].filename), frames[-1].lineno) if frames else (file, None)


def _broken(file: Path, line: int | None, problem: str) -> BrokenExercises:
    return BrokenExercises(file.relative_to(_package().__path__[0]), line, problem)


def _folder(exercise: str) -> Path:
    found = _ID.fullmatch(exercise)
    return Path(_package().__path__[0]) / f"lesson_{found[1].lower()}" / found[2]


def _lesson_folders() -> dict[str, Path]:
    folders = sorted(Path(_package().__path__[0]).iterdir())
    return {found[1].upper(): folder for folder in folders if (found := _LESSON.fullmatch(folder.name))}


def _numbers(lesson: str) -> list[int]:
    folder = _lesson_folders().get(lesson.upper())
    return sorted(int(path.name) for path in folder.iterdir() if path.name.isdecimal()) if folder else []


def _package() -> ModuleType:
    """Return the package of the exercises, which is beside the lessons and not installed."""
    if PACKAGE not in sys.modules:
        spec = util.spec_from_file_location(PACKAGE, EXERCISES / "__init__.py")
        sys.modules[PACKAGE] = package = util.module_from_spec(spec)
        spec.loader.exec_module(package)
    return sys.modules[PACKAGE]
